#include "kk3.h"
void kk3_san_load(Wave *w, u64 addr, u32 bytes, u32 aux, u32 site, u32 lane) {}
void kk3_san_store(Wave *w, u64 addr, u32 bytes, u32 aux, u32 site, u32 lane) {}
void kk3_san_lds(Wave *w, u32 addr, u32 bytes, u32 store, u32 site, u32 lane) {}
void kk3_san_wait(Wave *w) {}
void kk3_san_barrier(Wg *g) {}
void kk3_san_fence(Wave *w, u32 acquire, u32 release, u32 scope) {}
void kk3_san_start(Sim *s, Wg *g) {}
void kk3_san_end(Sim *s, Wg *g) {}
void kk3_san_free(Sim *s) {}
