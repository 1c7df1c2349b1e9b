/* Loads and stores of generated code: translation, checks, gather/scatter, counts. */
#include "kk3.h"

INLINE Region *region_of(Wave *w, u64 addr, u32 site, u32 lane) {
    u64 r = addr >> REGION_SHIFT;
    if (r == 0 || r >= w->sim->nregions) kk3_fault(w, F_NO_REGION, site, addr, lane, 0);
    return &w->sim->regions[r];
}

/* Host address of n bytes that lie in one page; asks the caller of kk3_run for a missing page. */
INLINE u8 *host_of(Wave *w, Region *r, u64 addr, u64 off) {
    if (!r->page_shift) return r->host + off;
    u64 page = off >> r->page_shift;
    while (!r->pages[page]) {
        w->sim->want_region = addr >> REGION_SHIFT;
        w->sim->want_page = page;
        kk3_yield(w, YIELD_PAGE);
    }
    return r->pages[page] + (off & ((1ul << r->page_shift) - 1));
}

INLINE void check(Wave *w, Region *r, u64 off, u32 n, u32 elem, u64 addr, u32 site, u32 lane) {
    if (off + n > r->size) kk3_fault(w, F_OUT_OF_BOUNDS, site, addr, lane, r->size);
    if (off & (elem - 1)) kk3_fault(w, F_MISALIGNED, site, addr, lane, elem);
}

/* ------------------------------------------------------------- counters, watches, hand-off depth */
INLINE void count(Wave *w, const Site *s, u32 kind, u64 n) {
    w->counts[s->stage * C_KINDS + kind] += n;
}
INLINE u32 policy(u32 aux) {
    return aux & AUX_DEVICE ? (aux & AUX_SYSTEM ? 3 : 2) : aux & AUX_NT ? 1 : aux & AUX_SYSTEM ? 2 : 0;
}
INLINE void watch(Wave *w, u64 addr) {
    u16 b = (u16)bucket_of(addr);
    u32 n = w->nwatch;
    if (n > WATCH) return;
    if (n && w->watch[n - 1] == b) return;
    if (!n) w->watch_since = w->sim->progress;
    for (u32 i = 0; i < n; i++) if (w->watch[i] == b) return;
    if (n < WATCH) w->watch[n] = b;
    w->nwatch = n + 1;
}
INLINE void stored(Wave *w, u64 addr, u32 n) {
    Sim *s = w->sim;
    u64 p = ++s->progress;
    s->stamp[bucket_of(addr)] = p;
    s->stamp[bucket_of(addr + n - 1)] = p;
}
static u16 *depth_at(Region *r, u64 off, u32 make) {
    if (!r->depth) {
        if (!make) return 0;
        r->depth = calloc((r->size >> 16) + 1, sizeof(u16 *));
    }
    u16 **page = &r->depth[off >> 16];
    if (!*page) {
        if (!make) return 0;
        *page = calloc(8192, sizeof(u16));
    }
    return *page + ((off & 65535) >> 3);
}
INLINE void handed_in(Wave *w, Region *r, u64 off) {
    u16 *d = depth_at(r, off, 0);
    if (d && *d > w->wg->depth) w->wg->depth = *d;
}
INLINE void handed_out(Wave *w, Region *r, u64 off, u32 n) {
    for (u32 i = 0; i < n; i += 8) *depth_at(r, off + i, 1) = (u16)(w->wg->depth + 1);
}
static void mark_init(Region *r, u64 off, u32 n) {
    if (!r->init) r->init = calloc(r->size / 8 + 1, 1);
    for (u64 b = off; b < off + n; b++) r->init[b >> 3] |= (u8)(1 << (b & 7));
}
static void check_init(Wave *w, Region *r, u64 off, u32 n, u64 addr, u32 site, u32 lane) {
    for (u64 b = off; b < off + n; b++)
        if (!r->init || !(r->init[b >> 3] >> (b & 7) & 1)) {
            kk3_find(w->sim, w, F_UNINIT_MEMORY, site, addr, lane, n);
            return;
        }
}

/* ------------------------------------------------------------- one lane */
INLINE void get(Io *io, u32 l, const u8 *p, u32 n) {
    if (n == 4) { u32 x; __builtin_memcpy(&x, p, 4); io->data[0][l] = x; }
    else if (n == 2) { u16 x; __builtin_memcpy(&x, p, 2); io->data[0][l] = x; }
    else if (n == 1) io->data[0][l] = *p;
    else for (u32 i = 0; i < n / 4; i++) __builtin_memcpy(&io->data[i][l], p + 4 * i, 4);
}
INLINE void put(Io *io, u32 l, u8 *p, u32 n) {
    if (n == 4) __builtin_memcpy(p, &io->data[0][l], 4);
    else if (n == 2) { u16 x = (u16)io->data[0][l]; __builtin_memcpy(p, &x, 2); }
    else if (n == 1) *p = (u8)io->data[0][l];
    else for (u32 i = 0; i < n / 4; i++) __builtin_memcpy(p + 4 * i, &io->data[i][l], 4);
}
/* A range may cross a sparse page's end: go element by element there. */
static void get_slow(Wave *w, Region *r, u64 addr, u64 off, u32 l, u32 n) {
    u8 tmp[128];
    for (u32 i = 0; i < n; i++) tmp[i] = *host_of(w, r, addr, off + i);
    get(w->io, l, tmp, n);
}
static void put_slow(Wave *w, Region *r, u64 addr, u64 off, u32 l, u32 n) {
    u8 tmp[128];
    put(w->io, l, tmp, n);
    for (u32 i = 0; i < n; i++) *host_of(w, r, addr, off + i) = tmp[i];
}
INLINE u32 one_page(Region *r, u64 off, u64 n) {
    return !r->page_shift || (off >> r->page_shift) == ((off + n - 1) >> r->page_shift);
}

NOINLINE static void load_lane(Wave *w, u64 addr, u32 l, const Site *s, u32 site) {
    Region *r = region_of(w, addr, site, l);
    u64 off = addr & OFFSET_MASK;
    u32 n = s->bytes;
    check(w, r, off, n, s->elem, addr, site, l);
    if (w->sim->sanitize) kk3_san_load(w, addr, n, s->aux, site, l);
    if (one_page(r, off, n)) get(w->io, l, host_of(w, r, addr, off), n);
    else get_slow(w, r, addr, off, l, n);
    if (r->track_init) check_init(w, r, off, n, addr, site, l);
    if (s->flags & SITE_SYNC) watch(w, addr);
    if (s->aux & AUX_DEVICE) for (u32 i = 0; i < n; i += 8) handed_in(w, r, off + i);
}
NOINLINE static void store_lane(Wave *w, u64 addr, u32 l, const Site *s, u32 site) {
    Region *r = region_of(w, addr, site, l);
    u64 off = addr & OFFSET_MASK;
    u32 n = s->bytes;
    check(w, r, off, n, s->elem, addr, site, l);
    if (!r->writable) kk3_fault(w, F_READ_ONLY, site, addr, l, n);
    if (w->sim->sanitize) kk3_san_store(w, addr, n, s->aux, site, l);
    if (one_page(r, off, n)) put(w->io, l, host_of(w, r, addr, off), n);
    else put_slow(w, r, addr, off, l, n);
    if (r->track_init) mark_init(r, off, n);
    stored(w, addr, n);
    if (s->aux & AUX_DEVICE) handed_out(w, r, off, n);
}

/* ------------------------------------------------------------- whole waves */
INLINE void spread(u32 (*restrict out)[LANES], const u8 *restrict src, u32 nw) {
    for (u32 k = 0; k < nw; k++)
        for (u32 l = 0; l < LANES; l++) __builtin_memcpy(&out[k][l], src + 4 * (l * nw + k), 4);
}
INLINE void pack(u8 *restrict dst, u32 (*restrict in)[LANES], u32 nw) {
    for (u32 l = 0; l < LANES; l++)
        for (u32 k = 0; k < nw; k++) __builtin_memcpy(dst + 4 * (l * nw + k), &in[k][l], 4);
}
INLINE void gather(Io *io, const u8 *p, u32 n) {
    for (u32 l = 0; l < LANES; l++) get(io, l, p + io->a32[l], n);
}

/* 16 bytes a lane, four lanes at a time through a 4 x 4 transposition. */
typedef u32 u4v __attribute__((vector_size(16), aligned(4)));
INLINE void gather16(Io *io, const u8 *p) {
    for (u32 l = 0; l < LANES; l += 4) {
        u4v a = *(const u4v *)(p + io->a32[l]), b = *(const u4v *)(p + io->a32[l + 1]);
        u4v c = *(const u4v *)(p + io->a32[l + 2]), d = *(const u4v *)(p + io->a32[l + 3]);
        u4v ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        u4v ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        *(u4v *)&io->data[0][l] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
        *(u4v *)&io->data[1][l] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
        *(u4v *)&io->data[2][l] = __builtin_shufflevector(ef, gh, 0, 1, 4, 5);
        *(u4v *)&io->data[3][l] = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
    }
}

INLINE u32 contiguous(const u32 *a, u32 n) {
    u32 bad = 0;
    for (u32 l = 0; l < LANES; l++) bad |= a[l] ^ (a[0] + l * n);
    return !bad;
}

/* The deepest hand-off among what every lane has read. */
static void handed_in_all(Wave *w, Region *r, u64 off, u32 n, u32 lo, u32 hi) {
    u64 first = off + lo, last = off + hi + n - 1;
    if (first >> 16 == last >> 16) {
        u16 *page = r->depth[first >> 16], deepest = 0;
        if (!page) return;
        if (hi - lo < LANES * 32) {     /* close together: a little more than was read, and at once */
            for (u64 i = (first & 65535) >> 3; i <= (last & 65535) >> 3; i++) deepest = page[i] > deepest ? page[i] : deepest;
            if (contiguous(w->io->a32, n) || deepest <= w->wg->depth) {
                if (deepest > w->wg->depth) w->wg->depth = deepest;
                return;
            }
        }
    }
    for (u32 l = 0; l < LANES; l++)
        for (u32 i = 0; i < n; i += 8) handed_in(w, r, off + w->io->a32[l] + i);
}

/* Plain data of every lane from base + a32: the common case, checked once. Returns 0 where a lane
 * must be handled alone (sanitizer, tracking, a page's end, a fault). */
static u32 bulk_load(Wave *w, u64 base, u64 limit, const Site *s) {
    Io *io = w->io;
    u64 id = base >> REGION_SHIFT;
    if (id == 0 || id >= w->sim->nregions) return 0;
    Region *r = &w->sim->regions[id];
    u32 n = s->bytes;
    if (w->sim->sanitize || r->track_init) return 0;
    u32 lo = io->a32[0], hi = io->a32[0], any = 0;
    for (u32 l = 0; l < LANES; l++) {
        u32 a = io->a32[l];
        lo = a < lo ? a : lo;
        hi = a > hi ? a : hi;
        any |= a;
    }
    u64 off = base & OFFSET_MASK;
    if ((u64)hi + n > limit || off + hi + n > r->size || ((any | off) & (s->elem - 1))) return 0;
    if (!one_page(r, off + lo, (u64)hi - lo + n)) return 0;
    u8 *p = host_of(w, r, base, off + lo) - lo;
    if (contiguous(io->a32, n)) {
        switch (n) {
        case 4: spread(io->data, p + lo, 1); break;
        case 8: spread(io->data, p + lo, 2); break;
        case 16: spread(io->data, p + lo, 4); break;
        default: gather(io, p, n);
        }
        u64 first = base + lo, last = base + hi + n - 1;
        if (s->flags & SITE_SYNC) for (u64 a = first & ~511ul; a <= last; a += 512) watch(w, a);
    } else {
        switch (n) {
        case 2: gather(io, p, 2); break;
        case 4: gather(io, p, 4); break;
        case 8: gather(io, p, 8); break;
        case 16: gather16(io, p); break;
        default: gather(io, p, n);
        }
        if (s->flags & SITE_SYNC && w->nwatch <= WATCH)
            for (u32 l = 0; l < LANES; l++) watch(w, base + io->a32[l]);
    }
    if (s->aux & AUX_DEVICE && r->depth) handed_in_all(w, r, off, n, lo, hi);
    return 1;
}

static void clear_lanes(Io *io, u64 mask, u32 n) {
    u32 words = (n + 3) / 4;
    for (u32 k = 0; k < words; k++)
        for (u32 l = 0; l < LANES; l++) io->data[k][l] = mask >> l & 1 ? io->data[k][l] : 0;
}

void kk3_buf_ld(Wave *w, u64 base, u64 limit, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    Io *io = w->io;
    u32 n = s->bytes;
    if (mask == ~0ul && bulk_load(w, base, limit, s)) {
        count(w, s, C_LOAD_PLAIN + policy(s->aux), 64ul * n);
        return;
    }
    u64 ok = 0;
    for (u32 l = 0; l < LANES; l++) ok |= (u64)((u64)io->a32[l] + n <= limit) << l;
    ok &= mask;
    for (u64 m = ok; m; m &= m - 1) {
        u32 l = ctz64(m);
        load_lane(w, base + io->a32[l], l, s, site);
    }
    if (~ok) clear_lanes(io, ok, n);
    count(w, s, C_LOAD_PLAIN + policy(s->aux), (u64)popc64(ok) * n);
}
void kk3_buf_ld_u(Wave *w, u64 base, u64 limit, u32 off, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    Io *io = w->io;
    if (!mask || (u64)off + s->bytes > limit) {
        for (u32 k = 0; k < (s->bytes + 3) / 4; k++) io->data[k][0] = 0;
        return;
    }
    load_lane(w, base + off, 0, s, site);
    count(w, s, C_LOAD_PLAIN + policy(s->aux), s->bytes);
}
void kk3_buf_st(Wave *w, u64 base, u64 limit, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    Io *io = w->io;
    u32 n = s->bytes;
    u64 ok = 0;
    for (u32 l = 0; l < LANES; l++) ok |= (u64)((u64)io->a32[l] + n <= limit) << l;
    ok &= mask;
    for (u64 m = ok; m; m &= m - 1) {
        u32 l = ctz64(m);
        store_lane(w, base + io->a32[l], l, s, site);
    }
    count(w, s, C_STORE_PLAIN + policy(s->aux), (u64)popc64(ok) * n);
}
void kk3_buf_st_u(Wave *w, u64 base, u64 limit, u32 off, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    if (!mask || (u64)off + s->bytes > limit) return;
    store_lane(w, base + off, 0, s, site);
    count(w, s, C_STORE_PLAIN + policy(s->aux), s->bytes);
}

/* Global pointers: 64-bit addresses a lane. */
void kk3_ptr_ld(Wave *w, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    Io *io = w->io;
    if (mask == ~0ul) {
        u64 lo = io->a64[0], far = 0;
        for (u32 l = 0; l < LANES; l++) lo = io->a64[l] < lo ? io->a64[l] : lo;
        for (u32 l = 0; l < LANES; l++) {
            far |= io->a64[l] - lo;
            io->a32[l] = (u32)(io->a64[l] - lo);
        }
        if (!(far >> 31) && bulk_load(w, lo, 1ul << 40, s)) {
            count(w, s, C_LOAD_PLAIN + policy(s->aux), 64ul * s->bytes);
            return;
        }
    }
    for (u64 m = mask; m; m &= m - 1) {
        u32 l = ctz64(m);
        load_lane(w, io->a64[l], l, s, site);
    }
    if (~mask) clear_lanes(io, mask, s->bytes);
    count(w, s, C_LOAD_PLAIN + policy(s->aux), (u64)popc64(mask) * s->bytes);
}
void kk3_ptr_ld_u(Wave *w, u64 addr, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    if (!mask) {
        for (u32 k = 0; k < (s->bytes + 3) / 4; k++) w->io->data[k][0] = 0;
        return;
    }
    load_lane(w, addr, 0, s, site);
    count(w, s, C_LOAD_PLAIN + policy(s->aux), s->bytes);
}
void kk3_ptr_st(Wave *w, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    for (u64 m = mask; m; m &= m - 1) {
        u32 l = ctz64(m);
        store_lane(w, w->io->a64[l], l, s, site);
    }
    count(w, s, C_STORE_PLAIN + policy(s->aux), (u64)popc64(mask) * s->bytes);
}
void kk3_ptr_st_u(Wave *w, u64 addr, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    if (!mask) return;
    store_lane(w, addr, 0, s, site);
    count(w, s, C_STORE_PLAIN + policy(s->aux), s->bytes);
}

/* ------------------------------------------------------------- LDS */
NOINLINE static void lds_bad(Wave *w, u64 mask, const Site *s, u32 site) {
    u32 size = w->wg->launch->lds_bytes;
    for (u64 m = mask; m; m &= m - 1) {
        u32 l = ctz64(m), a = w->io->a32[l];
        if ((u64)a + s->bytes > size) kk3_fault(w, F_OUT_OF_BOUNDS, site, LDS_TAG | a, l, size);
        if (a & (s->elem - 1)) kk3_fault(w, F_MISALIGNED, site, LDS_TAG | a, l, s->elem);
    }
}
INLINE u32 lds_uninit(const u8 *init, u32 a, u32 n) {
    if (n >= 4) {
        u32 bad = 0;
        for (u32 i = 0; i < n; i += 4) bad |= init[(a + i) >> 2] ^ 15;
        return bad;
    }
    u32 need = ((1u << n) - 1) << (a & 3);
    return (init[a >> 2] & need) ^ need;
}
INLINE void lds_set(u8 *init, u32 a, u32 n) {
    if (n >= 4) for (u32 i = 0; i < n; i += 4) init[(a + i) >> 2] = 15;
    else init[a >> 2] |= (u8)(((1u << n) - 1) << (a & 3));
}
/* Whether every active lane is in bounds and aligned. */
INLINE u32 lds_ok(Wave *w, u64 mask, const Site *s) {
    u32 size = w->wg->launch->lds_bytes, bad = 0;
    u32 last = size - s->bytes;
    if (size < s->bytes) return 0;
    for (u32 l = 0; l < LANES; l++) {
        u32 a = w->io->a32[l], on = (u32)(mask >> l & 1);
        bad |= on & (u32)((a > last) | ((a & (s->elem - 1)) != 0));
    }
    return !bad;
}
INLINE void lds_ld_all(Io *io, const u8 *lds, u32 n) {
    for (u32 l = 0; l < LANES; l++) get(io, l, lds + io->a32[l], n);
}
void kk3_lds_ld(Wave *w, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    Io *io = w->io;
    u32 n = s->bytes;
    const u8 *lds = w->wg->lds;
    if (!lds_ok(w, mask, s)) lds_bad(w, mask, s, site);
    const u8 *init = w->wg->lds_init;
    u32 uninit = 0;
    if (mask == ~0ul) {
        if (n == 4) {
            if (contiguous(io->a32, 4)) {
                spread(io->data, lds + io->a32[0], 1);
                for (u32 l = 0; l < LANES; l++) uninit |= init[(io->a32[0] >> 2) + l] ^ 15;
            } else {
                lds_ld_all(io, lds, 4);
                for (u32 l = 0; l < LANES; l++) uninit |= init[io->a32[l] >> 2] ^ 15;
            }
        } else if (n == 16) {
            if (contiguous(io->a32, 16)) {
                spread(io->data, lds + io->a32[0], 4);
                for (u32 l = 0; l < 4 * LANES; l++) uninit |= init[(io->a32[0] >> 2) + l] ^ 15;
            } else {
                gather16(io, lds);
                for (u32 l = 0; l < LANES; l++) {
                    u32 x;
                    __builtin_memcpy(&x, init + (io->a32[l] >> 2), 4);
                    uninit |= x ^ 0x0f0f0f0f;
                }
            }
        } else {
            if (n == 8) lds_ld_all(io, lds, 8);
            else lds_ld_all(io, lds, n);
            uninit = 1;     /* look lane by lane */
        }
    } else {
        for (u64 m = mask; m; m &= m - 1) {
            u32 l = ctz64(m);
            get(io, l, lds + io->a32[l], n);
        }
        clear_lanes(io, mask, n);
        uninit = 1;
    }
    if (uninit && w->sim->checks) {
        u64 bad = 0;
        for (u64 m = mask; m; m &= m - 1) {
            u32 l = ctz64(m);
            if (lds_uninit(init, io->a32[l], n)) bad |= 1ul << l;
        }
        if (bad) kk3_find(w->sim, w, F_UNINIT_LDS, site, LDS_TAG | io->a32[ctz64(bad)], ctz64(bad), n);
    }
    if (w->sim->sanitize)
        for (u64 m = mask; m; m &= m - 1) kk3_san_lds(w, io->a32[ctz64(m)], n, LDS_READS, site, ctz64(m));
    count(w, s, C_LDS_LOAD, (u64)popc64(mask) * n);
}
void kk3_lds_st(Wave *w, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    Io *io = w->io;
    u32 n = s->bytes;
    u8 *lds = w->wg->lds, *init = w->wg->lds_init;
    if (!lds_ok(w, mask, s)) lds_bad(w, mask, s, site);
    if (w->sim->sanitize)
        for (u64 m = mask; m; m &= m - 1) {
            u32 l = ctz64(m), a = io->a32[l], other = 0;
            u8 new[128];
            put(io, l, new, n);
            for (u32 i = 0; i < n; i++) other |= new[i] ^ lds[a + i];
            kk3_san_lds(w, a, n, other ? LDS_WRITES : LDS_WRITES_SAME, site, l);
        }
    if (mask == ~0ul && (n == 4 || n == 16) && contiguous(io->a32, n)) {
        u32 a = io->a32[0];
        if (n == 4) pack(lds + a, io->data, 1);
        else pack(lds + a, io->data, 4);
        for (u32 i = 0; i < n / 4 * LANES; i++) init[(a >> 2) + i] = 15;
    } else {
        for (u64 m = mask; m; m &= m - 1) {
            u32 l = ctz64(m), a = io->a32[l];
            put(io, l, lds + a, n);
            lds_set(init, a, n);
        }
    }
    count(w, s, C_LDS_STORE, (u64)popc64(mask) * n);
}
void kk3_lds_ld_u(Wave *w, u32 addr, u64 mask, u32 site) {
    Io *io = w->io;
    if (!mask) {
        for (u32 k = 0; k < (w->sites[site].bytes + 3) / 4; k++) io->data[k][0] = 0;
        return;
    }
    io->a32[0] = addr;
    const Site *s = &w->sites[site];
    if (!lds_ok(w, 1, s)) lds_bad(w, 1, s, site);
    get(io, 0, w->wg->lds + addr, s->bytes);
    if (w->sim->checks && lds_uninit(w->wg->lds_init, addr, s->bytes))
        kk3_find(w->sim, w, F_UNINIT_LDS, site, LDS_TAG | addr, 0, s->bytes);
    if (w->sim->sanitize) kk3_san_lds(w, addr, s->bytes, LDS_READS, site, 0);
    count(w, s, C_LDS_LOAD, s->bytes);
}
void kk3_lds_st_u(Wave *w, u32 addr, u64 mask, u32 site) {
    if (!mask) return;
    w->io->a32[0] = addr;
    kk3_lds_st(w, 1, site);
}

/* ------------------------------------------------------------- private (per-lane) memory */
void kk3_prv(Wave *w, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    Io *io = w->io;
    u32 size = w->wg->launch->private_bytes, n = s->bytes;
    if (!w->private_mem) {
        w->private_mem = calloc(LANES, size + 16);
        w->private_init = calloc(LANES, size + 16);
    }
    for (u64 m = mask; m; m &= m - 1) {
        u32 l = ctz64(m), a = io->a32[l];
        u8 *p = w->private_mem + (u64)l * (size + 16), *q = w->private_init + (u64)l * (size + 16);
        if ((u64)a + n > size) kk3_fault(w, F_OUT_OF_BOUNDS, site, PRIVATE_TAG | a, l, size);
        if (s->op) {
            put(io, l, p + a, n);
            for (u32 i = 0; i < n; i++) q[a + i] = 1;
        } else {
            get(io, l, p + a, n);
            u32 bad = 0;
            for (u32 i = 0; i < n; i++) bad |= !q[a + i];
            if (bad && w->sim->checks) kk3_find(w->sim, w, F_UNINIT_PRIVATE, site, PRIVATE_TAG | a, l, n);
        }
    }
    if (!s->op) clear_lanes(io, mask, n);
}

/* ------------------------------------------------------------- atomics */
enum { A_XCHG, A_ADD, A_SUB, A_AND, A_OR, A_XOR, A_MAX, A_MIN, A_UMAX, A_UMIN, A_FADD, A_FMAX, A_FMIN, A_CAS };
INLINE float f_of(u32 x) { float f; __builtin_memcpy(&f, &x, 4); return f; }
INLINE u32 u_of(float f) { u32 x; __builtin_memcpy(&x, &f, 4); return x; }
static u64 combine(u32 op, u64 old, u64 v, u64 cmp, u32 n) {
    i64 so = n == 8 ? (i64)old : (i32)old, sv = n == 8 ? (i64)v : (i32)v;
    switch (op) {
    case A_XCHG: return v;
    case A_ADD: return old + v;
    case A_SUB: return old - v;
    case A_AND: return old & v;
    case A_OR: return old | v;
    case A_XOR: return old ^ v;
    case A_MAX: return so > sv ? old : v;
    case A_MIN: return so < sv ? old : v;
    case A_UMAX: return old > v ? old : v;
    case A_UMIN: return old < v ? old : v;
    case A_FADD: return u_of(f_of((u32)old) + f_of((u32)v));
    case A_FMAX: return f_of((u32)old) > f_of((u32)v) ? old : v;
    case A_FMIN: return f_of((u32)old) < f_of((u32)v) ? old : v;
    case A_CAS: return old == cmp ? v : old;
    }
    return old;
}
/* Lanes in order. Value in data[0..1], compare value in data[2..3], old value back in data[0..1]. */
void kk3_atomic(Wave *w, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    Io *io = w->io;
    u32 n = s->bytes;
    for (u64 m = mask; m; m &= m - 1) {
        u32 l = ctz64(m);
        u64 v = io->data[0][l], c = io->data[2][l], old = 0, new;
        u8 *p;
        if (n == 8) v |= (u64)io->data[1][l] << 32, c |= (u64)io->data[3][l] << 32;
        if (s->space == SPACE_LDS) {
            if (!lds_ok(w, 1ul << l, s)) lds_bad(w, 1ul << l, s, site);
            p = w->wg->lds + io->a32[l];
            if (w->sim->checks && lds_uninit(w->wg->lds_init, io->a32[l], n))
                kk3_find(w->sim, w, F_UNINIT_LDS, site, LDS_TAG | io->a32[l], l, n);
            lds_set(w->wg->lds_init, io->a32[l], n);
        } else {
            u64 addr = io->a64[l];
            Region *r = region_of(w, addr, site, l);
            check(w, r, addr & OFFSET_MASK, n, s->elem, addr, site, l);
            if (!r->writable) kk3_fault(w, F_READ_ONLY, site, addr, l, n);
            p = host_of(w, r, addr, addr & OFFSET_MASK);
            if (w->sim->sanitize) {
                kk3_san_load(w, addr, n, s->aux, site, l);
                kk3_san_store(w, addr, n, s->aux, site, l);
            }
            if (r->track_init) mark_init(r, addr & OFFSET_MASK, n);
            watch(w, addr);
            handed_in(w, r, addr & OFFSET_MASK);
            handed_out(w, r, addr & OFFSET_MASK, n);
        }
        __builtin_memcpy(&old, p, n == 8 ? 8 : 4);
        new = combine(s->op, old, v, c, n);
        __builtin_memcpy(p, &new, n == 8 ? 8 : 4);
        if (s->space != SPACE_LDS && new != old) stored(w, io->a64[l], n);
        io->data[0][l] = (u32)old;
        io->data[1][l] = (u32)(old >> 32);
    }
    count(w, s, C_ATOMIC, popc64(mask));
}
