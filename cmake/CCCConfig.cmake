# SPDX-License-Identifier: MIT
# find_package(CCC): the annotations of ptxccc in single targets of a CMake project whose CUDA compiler is nvcc.
#
#	find_package(CCC REQUIRED)
#	add_library(graph STATIC bfs.cu)
#	ccc_target(graph THREADS 256 REPORT)
#
#   ccc_target(TARGET [POLICY policy] [THREADS n] [REPORT [file]] [STRICT] [SWITCHABLE])
#
# compiles the annotations (#pragma ccc ...) in the CUDA sources of TARGET, and lets them include <ccc.h>. The options are
# those of cccnvcc(1): POLICY and THREADS for annotations that say nothing, REPORT to the build's output or in a file
# (relative to the target's build folder; a name in .txt, .html, .json, .sarif or .opt.yaml), STRICT: an annotation that cannot be followed is an error; SWITCHABLE: under
# CCC_DISABLE=1 the program runs its kernels as they were. Objects are built again when ptxccc changes.
#
# A project all of whose targets are to be transformed needs none of this: cmake -DCMAKE_CUDA_COMPILER=cccnvcc. There,
# ccc_target adds its options only.
#
# Targets: CCC::ccc (the header <ccc.h> alone), CCC::ptxccc, CCC::ptxccc_static (the library, ptxccc(3)).
#
# How: nvcc's option --cicc-prefix, as an option of the target, makes it run `ccc-annotate --hook` in place of cicc. The CCC paper's
# spelling (#CCC for) is not for single targets: it takes cccnvcc.
cmake_minimum_required(VERSION 3.19)

get_filename_component(CCC_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CCC_ANNOTATE "${CCC_PREFIX}/bin/ccc-annotate")
set(CCC_PTXCCC "${CCC_PREFIX}/bin/ptxccc")
set(CCC_INCLUDE_DIR "${CCC_PREFIX}/include/ptxccc")
foreach(_ccc_file "${CCC_ANNOTATE}" "${CCC_PTXCCC}" "${CCC_INCLUDE_DIR}/ccc.h")
	if(NOT EXISTS "${_ccc_file}")
		set(CCC_FOUND FALSE)
		set(CCC_NOT_FOUND_MESSAGE "'${_ccc_file}' is missing: build or install ptxccc again")
		return()
	endif()
endforeach()

if(NOT TARGET CCC::ccc)
	add_library(CCC::ccc INTERFACE IMPORTED)
	set_target_properties(CCC::ccc PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CCC_INCLUDE_DIR}")
	add_library(CCC::ptxccc SHARED IMPORTED)
	set_target_properties(CCC::ptxccc PROPERTIES IMPORTED_LOCATION "${CCC_PREFIX}/lib/libptxccc.so.0"
		IMPORTED_SONAME libptxccc.so.0 INTERFACE_INCLUDE_DIRECTORIES "${CCC_PREFIX}/include")
	add_library(CCC::ptxccc_static STATIC IMPORTED)
	set_target_properties(CCC::ptxccc_static PROPERTIES IMPORTED_LOCATION "${CCC_PREFIX}/lib/libptxccc.a"
		INTERFACE_INCLUDE_DIRECTORIES "${CCC_PREFIX}/include")
endif()

# What the CUDA compiler is: cccnvcc, nvcc (with the option that is needed) or none that can be used. Asked once a build tree
# and compiler.
function(_ccc_compiler_kind result)
	if(NOT CMAKE_CUDA_COMPILER)
		message(FATAL_ERROR "ccc_target: CUDA is not enabled: project(... LANGUAGES CUDA) comes first")
	endif()
	if(NOT "${_CCC_COMPILER}" STREQUAL "${CMAKE_CUDA_COMPILER}")
		execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --ccc-version RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
		set(kind none)
		if(status EQUAL 0)
			set(kind cccnvcc)
		elseif(CMAKE_CUDA_COMPILER_ID STREQUAL NVIDIA)
			set(source "${CMAKE_BINARY_DIR}/CMakeFiles/ccc-probe.cu")
			file(WRITE "${source}" "")
			execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --cicc-prefix=ccc-probe --dryrun -c "${source}"
				OUTPUT_VARIABLE said ERROR_VARIABLE said)
			if(said MATCHES "ccc-probe [^\n]*cicc")
				set(kind nvcc)
			endif()
		endif()
		set(_CCC_COMPILER "${CMAKE_CUDA_COMPILER}" CACHE INTERNAL "the compiler that was asked")
		set(_CCC_COMPILER_KIND ${kind} CACHE INTERNAL "cccnvcc, nvcc or none")
	endif()
	set(${result} ${_CCC_COMPILER_KIND} PARENT_SCOPE)
endfunction()

# A word for sh.
function(_ccc_quote result text)
	string(REPLACE "'" "'\\''" text "${text}")
	set(${result} "'${text}'" PARENT_SCOPE)
endfunction()

# Names that CMake's lists and generator expressions would take apart are refused; all others reach the hook as they are.
function(_ccc_check_name target what name)
	if(name MATCHES "[][;\\\n\r]|[$]<")
		message(FATAL_ERROR "ccc_target(${target}): ${what} '${name}': CMake cannot hand on a name with a semicolon, "
			"a square bracket, a backslash, a line break or '$<'")
	endif()
endfunction()

# A sum of the programs for nvcc's command line, so that caches of compiled files see when they change. CMake runs again then.
function(_ccc_id result)
	set(sums "")
	foreach(program "${CCC_ANNOTATE}" "${CCC_PTXCCC}")
		file(SHA256 "${program}" sum)
		string(APPEND sums "${sum}")
	endforeach()
	string(SHA256 sum "${sums}")
	string(SUBSTRING "${sum}" 0 16 sum)
	set(${result} "${sum}" PARENT_SCOPE)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CCC_ANNOTATE}" "${CCC_PTXCCC}")
endfunction()

# The objects of the target's CUDA sources depend on the programs that made them. Called when all its sources are known, perhaps
# in another folder than the target's.
function(_ccc_depend target)
	get_target_property(sources ${target} SOURCES)
	get_target_property(folder ${target} SOURCE_DIR)
	foreach(source IN LISTS sources)
		if(NOT source MATCHES "^\\$<")
			if(EXISTS "${folder}/${source}")
				set(source "${folder}/${source}")
			endif()
			set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS
				"${CCC_ANNOTATE}" "${CCC_PTXCCC}")
		endif()
	endforeach()
endfunction()

# The folder at whose end _ccc_depend is called: the target's, or the present one if CMake has finished that.
function(_ccc_last_folder result target)
	get_target_property(wanted ${target} SOURCE_DIR)
	set(folder "${CMAKE_CURRENT_SOURCE_DIR}")
	while(folder AND NOT folder STREQUAL wanted)
		get_property(folder DIRECTORY "${folder}" PROPERTY PARENT_DIRECTORY)
	endwhile()
	if(NOT folder)
		set(folder "${CMAKE_CURRENT_SOURCE_DIR}")
	endif()
	set(${result} "${folder}" PARENT_SCOPE)
endfunction()

function(ccc_target target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "STRICT;SWITCHABLE" "POLICY;THREADS;REPORT" "")
	if(NOT TARGET ${target})
		message(FATAL_ERROR "ccc_target: there is no target '${target}'")
	endif()
	get_target_property(before ${target} CCC_TARGET)
	if(before)
		message(FATAL_ERROR "ccc_target(${target}): called before for this target: say all in one call")
	endif()
	set_property(TARGET ${target} PROPERTY CCC_TARGET TRUE)
	_ccc_check_name(${target} "ptxccc is installed in" "${CCC_PREFIX}")
	if(arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "ccc_target(${target}): unknown argument '${arg_UNPARSED_ARGUMENTS}'; "
			"it takes POLICY, THREADS, REPORT, STRICT and SWITCHABLE")
	endif()
	set(options "")
	if(DEFINED arg_POLICY)
		if(NOT arg_POLICY MATCHES "^(auto|stack|queue|expand|converge|ahead|wait|majority|live|cycle|flatten)$")
			message(FATAL_ERROR "ccc_target(${target}): POLICY '${arg_POLICY}': the policies are auto, stack, queue, expand, converge, ahead, wait, majority, live, cycle and flatten")
		endif()
		list(APPEND options "--ccc-policy=${arg_POLICY}")
	endif()
	if(DEFINED arg_THREADS)
		if(NOT arg_THREADS MATCHES "^[0-9]+$" OR arg_THREADS LESS 1 OR arg_THREADS GREATER 1024)
			message(FATAL_ERROR "ccc_target(${target}): THREADS '${arg_THREADS}': a number from 1 to 1024")
		endif()
		list(APPEND options "--ccc-threads=${arg_THREADS}")
	endif()
	if(DEFINED arg_REPORT)
		_ccc_check_name(${target} REPORT "${arg_REPORT}")
		get_target_property(folder ${target} BINARY_DIR)
		get_filename_component(file "${arg_REPORT}" ABSOLUTE BASE_DIR "${folder}")
		list(APPEND options "--ccc-report=${file}")
	elseif("REPORT" IN_LIST arg_KEYWORDS_MISSING_VALUES)
		list(APPEND options --ccc-report)
	endif()
	if(arg_STRICT)
		list(APPEND options --ccc-strict)
	endif()
	if(arg_SWITCHABLE)
		list(APPEND options --ccc-switchable)
	endif()

	_ccc_compiler_kind(kind)
	if(kind STREQUAL nvcc)
		_ccc_quote(prefix "${CCC_ANNOTATE}")
		_ccc_id(id)
		string(APPEND prefix " --hook --ccc-id=${id}")
		foreach(option IN LISTS options)
			_ccc_quote(option "${option}")
			string(APPEND prefix " ${option}")
		endforeach()
		set(options "--cicc-prefix=${prefix} --")
	elseif(kind STREQUAL none)
		message(FATAL_ERROR "ccc_target(${target}): '${CMAKE_CUDA_COMPILER}' is no nvcc with the option --cicc-prefix; "
			"use -DCMAKE_CUDA_COMPILER=cccnvcc for the whole project")
	endif()
	foreach(option IN LISTS options)
		string(REPLACE ">" "$<ANGLE-R>" option "${option}") # it would end the expression
		target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${option}>")
	endforeach()
	target_include_directories(${target} PRIVATE "${CCC_INCLUDE_DIR}")
	_ccc_last_folder(folder ${target})
	cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [==[${folder}]==] CALL _ccc_depend [==[${target}]==])")
endfunction()
