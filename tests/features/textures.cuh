// SPDX-License-Identifier: MIT
inline void check(cudaError_t e, const char *what);
#define CHECK_CALL(call) check(call, #call)
