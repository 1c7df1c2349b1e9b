/* The simulator's runtime: data shared by its files. Freestanding C (no headers), little-endian LP64.
 * Layouts that Python or generated code relies on are exported by kk3_layout() and checked at load. */
#ifndef KK3_H
#define KK3_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef int i32;
typedef long i64;

extern void *calloc(u64, u64);
extern void *realloc(void *, u64);
extern void free(void *);
extern void *memset(void *, int, u64);
extern void *memcpy(void *, const void *, u64);

#define LANES 64
#define REGION_SHIFT 36
#define OFFSET_MASK ((1ul << REGION_SHIFT) - 1)
#define LDS_TAG (1ul << 62)
#define PRIVATE_TAG (1ul << 61)
#define MAX_WAVES 16
#define WATCH 48
#define BUCKETS 8192
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

enum { SPACE_GLOBAL = 1, SPACE_LDS = 3, SPACE_PRIVATE = 5, SPACE_BUFFER = 8 };
enum { AUX_SYSTEM = 1, AUX_NT = 2, AUX_DEVICE = 16 };
enum { READY, AT_BARRIER, ASLEEP, DONE, KILLED };
enum { YIELD_DONE, YIELD_BARRIER, YIELD_SLEEP, YIELD_QUANTUM, YIELD_FAULT, YIELD_PAGE };
enum { RUN_FINISHED, RUN_FAULT, RUN_PAGE, RUN_DEADLOCK, RUN_PAUSED };

/* what a finding is about; names in findings.py */
enum {
    F_OUT_OF_BOUNDS = 1, F_NO_REGION, F_MISALIGNED, F_UNINIT_LDS, F_UNINIT_MEMORY, F_UNINIT_PRIVATE,
    F_READ_ONLY, F_DIVERGENT_BARRIER, F_BARRIER_ENDED, F_DEADLOCK, F_STACK,
    F_UNORDERED_READ, F_FLAG_OVERTAKES, F_WRONG_SCOPE_LOAD, F_WRONG_SCOPE_STORE, F_LDS_RACE,
    F_SLOT_REUSED, F_STALE_LINE, F_COUNT
};

/* what is counted for a workgroup and stage; names in counts.py */
enum {
    C_OPS, C_LOAD_PLAIN, C_LOAD_NT, C_LOAD_DEVICE, C_LOAD_SYSTEM, C_STORE_PLAIN, C_STORE_NT,
    C_STORE_DEVICE, C_STORE_SYSTEM, C_LDS_LOAD, C_LDS_STORE, C_MFMA, C_BARRIER, C_POLL_WAITED,
    C_POLL, C_SLEEP, C_ATOMIC, C_KINDS
};

typedef struct {            /* one memory, barrier or wait operation of a kernel */
    u32 space, bytes, elem, aux;      /* elem: bytes that must be aligned and written as one */
    u32 stage, flags, op, pad;
} Site;
enum { SITE_SYNC = 1 };     /* a load whose value decides when a wait loop ends */

typedef struct {            /* operand and result exchange with generated code */
    u32 a32[LANES];
    u64 a64[LANES];
    u32 data[32][LANES];
} Io;

typedef struct {            /* sanitizer, of one 4-byte word; writer and reader: see GW in sanitize.c */
    u32 writer, wseq, wsite, waux, wtime, generation;
    u32 reader, rseq, rsite;
} Shadow;
typedef struct {
    u64 size;
    u8 *host;               /* dense regions */
    u8 **pages;             /* sparse regions */
    u32 page_shift;         /* 0: dense */
    u32 writable;
    i32 rank;               /* owner; -1: shared by all */
    u32 track_init;
    u8 *init;               /* a bit per byte, one byte of bits per 8 bytes, when track_init */
    Shadow **shadow;        /* sanitizer, a table of pages, lazily */
    u16 **depth;            /* hand-off chain depth per 8 bytes, 64 KiB pages, lazily */
} Region;

typedef struct {
    u32 kind, site, other_site, kernel, other_kernel, lane, wave, wg, other_wg, count;
    i32 rank, other_rank;
    u64 addr, clock, extra;
    u32 bid[3], other_bid[3];
} Finding;

typedef struct Sim Sim;
typedef struct Wg Wg;
typedef struct Wave Wave;
typedef void (*KernelFn)(Wave *);

typedef struct {
    KernelFn fn;
    const Site *sites;
    u64 *args;
    u32 grid[3], block[3];
    u32 nwg, nwaves, lds_bytes, private_bytes, kernel, nstages, nsites;
    i32 rank;
    u32 first_gid, started, finished;
    u64 start_clock;        /* not before */
    u32 resident;           /* most workgroups at once */
    u32 after;              /* index+1 of the launch that must end first, 0: none */
    u64 end_clock;
    u64 *counts;            /* [nwg][nstages][C_KINDS] */
    u32 *depth;             /* [nwg] */
} Launch;

struct Wave {
    /* read by generated code: offsets in kk3_layout() */
    u64 mask0;
    u64 *args;
    Io *io;
    u64 ops;
    u32 index, budget;
    u32 bid[3], grid[3];
    /* runtime only */
    void *sp;
    u8 *stack;
    Wg *wg;
    Sim *sim;
    const Site *sites;
    u64 *counts;            /* this workgroup's */
    u64 ops_seen;
    u32 state, last_site, slept, nwatch;
    u64 watch_since;
    u16 watch[WATCH];
    u8 *private_mem, *private_init;
    /* sanitizer */
    u32 seq, pad;
    u32 K[MAX_WAVES], P[MAX_WAVES];
};

struct Wg {
    Launch *launch;
    u32 gid, local, nwaves, live, at_barrier, barriers, active, depth;
    u32 bid[3], xcd;
    i32 rank;
    u64 not_before, killed_at;
    u32 starve, mark;
    u8 *lds, *lds_init;
    Wave *waves;
    void *lds_shadow, *known;
};

struct Sim {
    Region *regions;
    u64 nregions;
    Launch *launches;
    u32 nlaunches, nwgs;
    Wg *wgs;
    u8 *stack_arena;
    u64 stack_bytes, nstacks;
    u32 *free_stacks;
    u64 nfree;
    Io *io;
    Finding *findings;
    u32 nfindings, cap_findings;
    /* schedule */
    u32 order, shuffle_waves, quantum, random_quantum;
    u64 rng, tick, clock, rounds, switches, idle_rounds, progress, max_idle, max_clock;
    u64 idle_cap;
    /* models */
    u32 mfma_order, mfma_denormals, trans_rounding, trans_denormals, fp8_overflow, sanitize, checks, xcds;
    /* run state */
    void *main_sp;
    Wave *current;
    u32 yield_kind, status;
    u64 want_region, want_page;
    u32 *active;
    u32 nactive, cap_active, next_launch_scan, started_wgs;
    u64 *stamp;             /* [BUCKETS] progress at the last store */
    u64 poll_switches;
    u32 stacks_peak, arch;          /* arch: 0 x86-64, 1 aarch64 */
    u64 stack_peak_bytes;
    i64 next_event;
    u8 **shadow_pages;
    u64 nshadow;
    u32 (*provide)(u64 region, u64 page);   /* makes a sparse page present; nonzero: it cannot */
};

void kk3_switch(void **save, void *to);
void kk3_yield(Wave *w, u32 kind);
NOINLINE void kk3_fault(Wave *w, u32 kind, u32 site, u64 addr, u32 lane, u64 extra);
Finding *kk3_find(Sim *s, Wave *w, u32 kind, u32 site, u64 addr, u32 lane, u64 extra);

INLINE u32 bucket_of(u64 addr) {
    u64 line = addr >> 9;
    return (u32)((line ^ (line >> 13) ^ (line >> 27)) & (BUCKETS - 1));
}
INLINE u32 ctz64(u64 x) { return (u32)__builtin_ctzl(x); }
INLINE u32 popc64(u64 x) { return (u32)__builtin_popcountl(x); }

/* sanitizer hooks (sanitize.c); a is a virtual address, n bytes a lane */
void kk3_san_load(Wave *w, u64 addr, u32 bytes, u32 aux, u32 site, u32 lane);
void kk3_san_store(Wave *w, u64 addr, u32 bytes, u32 aux, u32 site, u32 lane);
enum { LDS_READS, LDS_WRITES, LDS_WRITES_SAME };   /* SAME: the bytes that are there already */
void kk3_san_lds(Wave *w, u32 addr, u32 bytes, u32 how, u32 site, u32 lane);
void kk3_san_wait(Wave *w);
void kk3_san_barrier(Wg *g);
void kk3_san_fence(Wave *w, u32 acquire, u32 release, u32 scope);
void kk3_san_start(Sim *s, Wg *g);
void kk3_san_end(Sim *s, Wg *g);
void kk3_san_free(Sim *s);
#endif
