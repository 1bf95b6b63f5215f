// SPDX-License-Identifier: MIT
#include <cassert>
