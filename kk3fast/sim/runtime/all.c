/* One translation unit, so that the compiler sees it all. */
#include "memory.c"
#include "sched.c"
#include "math.c"
#include "sanitize.c"
