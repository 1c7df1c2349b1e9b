/* The ordering model: what a workgroup may know of another's stores, and when a cache may be stale.
 *
 * Every wave numbers its global accesses (seq). K[i]: stores of wave i of the own workgroup known to be
 * drained (s_waitcnt vmcnt(0), a release fence); P[i]: how far wave i is known to have come. A barrier
 * joins both over the workgroup. A poll that observes a store takes over what the storing wave knew
 * when it stored (its snapshot). An access is ordered after a store when its wave knows it drained.
 * Knowledge of third workgroups is followed through those known, without asking when they learnt it:
 * that may hide a race, and never invents one. */
#include "kk3.h"

enum { SITE_ATOMIC = 2 };
#define WAVES_BIT 4
#define GW(g, w) (((g) << WAVES_BIT | (w)) + 1)

typedef struct { u32 K[MAX_WAVES], P[MAX_WAVES]; } Known;
typedef struct { u32 seq, K[MAX_WAVES], P[MAX_WAVES]; } Snapshot;
typedef struct { u32 cap, n, *keys; Known **vals; } Map;
typedef struct { u64 cached, stale; } Line;     /* of one 128-byte line, a bit a (rank, XCD) */
typedef struct {
    Map base, delta[MAX_WAVES];
    Snapshot *log[MAX_WAVES];
    u32 nlog[MAX_WAVES], caplog[MAX_WAVES], dirty[MAX_WAVES], writeback[MAX_WAVES], invalidated[MAX_WAVES];
    Launch *launch;
    i32 rank;
    u32 xcd, bid[3];
} San;
typedef struct { u32 wepoch, wsite, repoch, rsite; u16 readers; u8 writer, wbytes, rbytes; } LdsShadow;

static San **sans;
static u32 nsans, event, search_mark;
static u32 *marks;
static Line ***lines;       /* [region][64 KiB page][line] */

/* ------------------------------------------------------------- maps */
static Known *find(Map *m, u32 gid) {
    if (!m->cap) return 0;
    for (u32 i = gid * 2654435761u & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
        if (!m->vals[i]) return 0;
        if (m->keys[i] == gid) return m->vals[i];
    }
}
static void insert(Map *m, u32 gid, Known *k) {
    u32 i = gid * 2654435761u & (m->cap - 1);
    while (m->vals[i]) i = (i + 1) & (m->cap - 1);
    m->keys[i] = gid;
    m->vals[i] = k;
}
static Known *need(Map *m, u32 gid) {
    Known *k = find(m, gid);
    if (k) return k;
    if (2 * (m->n + 1) > m->cap) {
        Map old = *m;
        m->cap = old.cap ? old.cap * 2 : 16;
        m->keys = calloc(m->cap, sizeof(u32));
        m->vals = calloc(m->cap, sizeof(Known *));
        for (u32 i = 0; i < old.cap; i++) if (old.vals[i]) insert(m, old.keys[i], old.vals[i]);
        free(old.keys);
        free(old.vals);
    }
    m->n++;
    k = calloc(1, sizeof(Known));
    insert(m, gid, k);
    return k;
}
static void clear_map(Map *m) {
    for (u32 i = 0; i < m->cap; i++) free(m->vals[i]);
    free(m->keys);
    free(m->vals);
    m->cap = m->n = 0;
    m->keys = 0;
    m->vals = 0;
}
INLINE void join(u32 *into, const u32 *from) {
    for (u32 i = 0; i < MAX_WAVES; i++) into[i] = from[i] > into[i] ? from[i] : into[i];
}

/* ------------------------------------------------------------- knowledge */
static const Snapshot *snapshot_at(San *q, u32 wave, u32 seq) {
    u32 lo = 0, hi = q->nlog[wave];
    while (lo < hi) {
        u32 mid = (lo + hi) / 2;
        if (q->log[wave][mid].seq <= seq) lo = mid + 1; else hi = mid;
    }
    return lo ? &q->log[wave][lo - 1] : 0;
}
static void acquire(Wave *w, u32 writer, u32 seq) {
    u32 gid = (writer - 1) >> WAVES_BIT, wave = (writer - 1) & (MAX_WAVES - 1);
    if (gid == w->wg->gid) return;
    San *me = sans[w->wg->gid];
    Known *b = find(&me->base, gid);
    if (b && b->P[wave] >= seq) return;
    Known *d = need(&me->delta[w->index], gid);
    if (d->P[wave] >= seq) return;
    const Snapshot *snap = snapshot_at(sans[gid], wave, seq);
    if (snap) {
        join(d->K, snap->K);
        join(d->P, snap->P);
    }
    if (d->P[wave] < seq) d->P[wave] = seq;
}
/* Whether `k` knows wave's access seq: 2 drained, 1 passed, 0 not at all. */
INLINE u32 level(const Known *k, u32 wave, u32 seq) {
    return !k ? 0 : k->K[wave] >= seq ? 2 : k->P[wave] >= seq ? 1 : 0;
}
INLINE u32 more(u32 a, u32 b) { return a > b ? a : b; }
static u32 reach(u32 q, u32 gid, u32 wave, u32 seq, u32 depth) {
    San *s = sans[q];
    if (!s || marks[q] == search_mark) return 0;
    marks[q] = search_mark;
    u32 best = level(find(&s->base, gid), wave, seq);
    for (u32 i = 0; i < s->launch->nwaves && best < 2; i++)
        best = more(best, level(find(&s->delta[i], gid), wave, seq));
    if (best == 2 || !depth) return best;
    for (u32 i = 0; i < s->base.cap && best < 2; i++)
        if (s->base.vals[i]) best = more(best, reach(s->base.keys[i], gid, wave, seq, depth - 1));
    return best;
}
static u32 knows(Wave *w, u32 gid, u32 wave, u32 seq) {
    San *me = sans[w->wg->gid];
    u32 best = more(level(find(&me->base, gid), wave, seq), level(find(&me->delta[w->index], gid), wave, seq));
    if (best == 2) return 2;
    search_mark++;
    marks[w->wg->gid] = search_mark;
    for (u32 m = 0; m < 2 && best < 2; m++) {
        Map *map = m ? &me->delta[w->index] : &me->base;
        for (u32 i = 0; i < map->cap && best < 2; i++)
            if (map->vals[i]) best = more(best, reach(map->keys[i], gid, wave, seq, 2));
    }
    if (best == 2) {        /* remember it */
        Known *d = need(&me->delta[w->index], gid);
        if (d->K[wave] < seq) d->K[wave] = seq;
        if (d->P[wave] < seq) d->P[wave] = seq;
    }
    return best;
}
static void snapshot(Wave *w) {
    San *me = sans[w->wg->gid];
    u32 i = w->index;
    if (!me->dirty[i]) return;
    me->dirty[i] = 0;
    if (me->nlog[i] == me->caplog[i]) {
        me->caplog[i] = me->caplog[i] * 2 + 8;
        me->log[i] = realloc(me->log[i], me->caplog[i] * sizeof(Snapshot));
    }
    Snapshot *s = &me->log[i][me->nlog[i]++];
    s->seq = w->seq;
    memcpy(s->K, w->K, sizeof s->K);
    memcpy(s->P, w->P, sizeof s->P);
}

/* ------------------------------------------------------------- shadow memory */
static Shadow *shadow_at(Region *r, u64 off, u32 make) {
    if (!r->shadow) {
        if (!make) return 0;
        r->shadow = calloc((r->size >> 12) + 1, sizeof(Shadow *));
    }
    Shadow **page = &r->shadow[off >> 12];
    if (!*page) {
        if (!make) return 0;
        *page = calloc(1024, sizeof(Shadow));
    }
    return *page + ((off & 4095) >> 2);
}
static Line *line_at(Sim *s, u64 addr) {
    u64 id = addr >> REGION_SHIFT, off = addr & OFFSET_MASK;
    if (!lines[id]) lines[id] = calloc((s->regions[id].size >> 16) + 1, sizeof(Line *));
    Line **page = &lines[id][off >> 16];
    if (!*page) *page = calloc(512, sizeof(Line));
    return *page + ((off & 65535) >> 7);
}
INLINE u64 cache_bit(Wg *g) { return 1ul << ((((u32)g->rank & 7) << 3) | (g->xcd & 7)); }

static void report(Wave *w, u32 kind, u32 site, u64 addr, u32 lane, u32 other, u32 osite) {
    Finding *f = kk3_find(w->sim, w, kind, site, addr, lane, 0);
    if (!f || !other) return;
    San *q = sans[(other - 1) >> WAVES_BIT];
    f->other_site = osite;
    f->other_wg = (other - 1) >> WAVES_BIT;
    f->other_kernel = q->launch->kernel;
    f->other_rank = q->rank;
    for (u32 i = 0; i < 3; i++) f->other_bid[i] = q->bid[i];
}
/* 0: the same XCD of the same rank; 1: another XCD; 2: another rank. */
INLINE u32 distance(Wg *g, San *q) { return g->rank != q->rank ? 2 : g->xcd != q->xcd ? 1 : 0; }
INLINE u32 scope_of(u32 aux) { return !(aux & AUX_DEVICE) ? 0 : aux & AUX_SYSTEM ? 2 : 1; }

static void check_load_scope(Wave *w, Shadow *h, San *q, u64 addr, u32 aux, u32 site, u32 lane) {
    u32 d = distance(w->wg, q), wave = (h->writer - 1) & (MAX_WAVES - 1);
    if (scope_of(h->waux) < d && !(d == 1 && q->writeback[wave] >= h->wseq))
        report(w, F_WRONG_SCOPE_STORE, h->wsite, addr, lane, GW(w->wg->gid, w->index), site);
    if (scope_of(aux) < d && sans[w->wg->gid]->invalidated[w->index] <= h->wtime) {
        u32 stale = line_at(w->sim, addr)->stale & cache_bit(w->wg) ? 1 : 0;
        report(w, stale ? F_STALE_LINE : F_WRONG_SCOPE_LOAD, site, addr, lane, h->writer, h->wsite);
    }
}
/* A launch that has ended on the same rank: kernel boundaries order everything. */
INLINE u32 settled(Wave *w, San *q) {
    return q->launch != w->wg->launch && q->rank == w->wg->rank && q->launch->finished == q->launch->nwg;
}

void kk3_san_load(Wave *w, u64 addr, u32 bytes, u32 aux, u32 site, u32 lane) {
    Sim *s = w->sim;
    Region *r = &s->regions[addr >> REGION_SHIFT];
    if (!r->writable) return;
    u32 flags = w->sites[site].flags, sync = flags & (SITE_SYNC | SITE_ATOMIC);
    u64 off = addr & OFFSET_MASK;
    w->seq++;
    for (u64 o = off & ~3ul; o < off + bytes; o += 4) {
        Shadow *h = shadow_at(r, o, 0);
        if (!h || !h->writer) continue;
        u64 at = (addr & ~OFFSET_MASK) | o;
        u32 gid = (h->writer - 1) >> WAVES_BIT, wave = (h->writer - 1) & (MAX_WAVES - 1);
        San *q = sans[gid];
        if (gid == w->wg->gid || settled(w, q)) goto read;
        if (sync) {
            if (!(flags & SITE_ATOMIC)) check_load_scope(w, h, q, at, aux, site, lane);
            acquire(w, h->writer, h->wseq);
            continue;
        }
        u32 known = knows(w, gid, wave, h->wseq);
        if (known == 2) check_load_scope(w, h, q, at, aux, site, lane);
        else report(w, known == 1 ? F_FLAG_OVERTAKES : h->generation > 1 ? F_SLOT_REUSED : F_UNORDERED_READ, site, at,
                    lane, h->writer, h->wsite);
    read:
        if (!sync) {
            h->reader = GW(w->wg->gid, w->index);
            h->rseq = w->seq;
            h->rsite = site;
        }
    }
    if (!(aux & AUX_DEVICE)) {
        Line *l = line_at(s, addr);
        l->cached |= cache_bit(w->wg);
    }
}
void kk3_san_store(Wave *w, u64 addr, u32 bytes, u32 aux, u32 site, u32 lane) {
    Sim *s = w->sim;
    Region *r = &s->regions[addr >> REGION_SHIFT];
    u64 off = addr & OFFSET_MASK;
    u32 me = GW(w->wg->gid, w->index);
    w->seq++;
    event++;
    snapshot(w);
    for (u64 o = off & ~3ul; o < off + bytes; o += 4) {
        Shadow *h = shadow_at(r, o, 1);
        if (h->reader) {
            u32 gid = (h->reader - 1) >> WAVES_BIT, wave = (h->reader - 1) & (MAX_WAVES - 1);
            if (gid != w->wg->gid && !settled(w, sans[gid]) && !knows(w, gid, wave, h->rseq))
                report(w, F_SLOT_REUSED, site, (addr & ~OFFSET_MASK) | o, lane, h->reader, h->rsite);
            h->reader = 0;
        }
        h->generation += h->writer != 0;
        h->writer = me;
        h->wseq = w->seq;
        h->wsite = site;
        h->waux = aux;
        h->wtime = event;
    }
    Line *l = line_at(s, addr);
    u64 mine = cache_bit(w->wg);
    l->stale |= l->cached & ~mine;
    l->stale &= ~(aux & AUX_DEVICE ? 0 : mine);
    if (!(aux & AUX_DEVICE)) l->cached |= mine;
}

/* ------------------------------------------------------------- waits, fences, barriers */
static void drain(Wave *w) {
    w->K[w->index] = w->seq;
    w->P[w->index] = w->seq;
    sans[w->wg->gid]->dirty[w->index] = 1;
}
void kk3_san_wait(Wave *w) { drain(w); }
void kk3_san_fence(Wave *w, u32 acquires, u32 releases, u32 scope) {
    San *me = sans[w->wg->gid];
    if (scope == 0) return;                     /* a workgroup fence waits for no global store */
    if (releases) {
        drain(w);
        me->writeback[w->index] = w->seq;
    }
    if (acquires) me->invalidated[w->index] = ++event;
}
void kk3_san_barrier(Wg *g) {
    San *me = sans[g->gid];
    u32 K[MAX_WAVES], P[MAX_WAVES];
    memset(K, 0, sizeof K);
    memset(P, 0, sizeof P);
    for (u32 i = 0; i < g->nwaves; i++) {
        Wave *w = &g->waves[i];
        w->P[i] = w->seq;
        join(K, w->K);
        join(P, w->P);
        Map *d = &me->delta[i];
        for (u32 j = 0; j < d->cap; j++)
            if (d->vals[j]) {
                Known *b = need(&me->base, d->keys[j]);
                join(b->K, d->vals[j]->K);
                join(b->P, d->vals[j]->P);
            }
        clear_map(d);
    }
    u32 latest = 0;
    for (u32 i = 0; i < g->nwaves; i++) latest = more(latest, me->invalidated[i]);
    for (u32 i = 0; i < g->nwaves; i++) {
        memcpy(g->waves[i].K, K, sizeof K);
        memcpy(g->waves[i].P, P, sizeof P);
        me->dirty[i] = 1;
        me->invalidated[i] = latest;            /* the workgroup's waves share their caches */
    }
}

/* ------------------------------------------------------------- LDS */
void kk3_san_lds(Wave *w, u32 addr, u32 bytes, u32 how, u32 site, u32 lane) {
    Wg *g = w->wg;
    u32 epoch = g->barriers + 1, end = addr + bytes;
    if (!g->lds_shadow) g->lds_shadow = calloc(g->launch->lds_bytes / 4 + 32, sizeof(LdsShadow));
    for (u32 a = addr & ~3u; a < end; a += 4) {
        LdsShadow *h = (LdsShadow *)g->lds_shadow + (a >> 2);
        u32 first = a < addr ? addr - a : 0, last = end - a < 4 ? end - a : 4;
        u8 mask = (u8)(((1u << last) - 1) & ~((1u << first) - 1));
        u32 race = 0, other_site = 0, other = 0;
        if (how != LDS_WRITES_SAME && h->wepoch == epoch && h->writer != w->index && h->wbytes & mask)
            race = 1, other_site = h->wsite, other = h->writer;
        if (how == LDS_WRITES && h->repoch == epoch && h->rbytes & mask && h->readers & ~(1u << w->index))
            race = 1, other_site = h->rsite, other = ctz64(h->readers & ~(1u << w->index));
        if (race) report(w, F_LDS_RACE, site, LDS_TAG | a, lane, GW(g->gid, other), other_site);
        if (how != LDS_READS) {
            h->wbytes = (u8)(h->wepoch == epoch && h->writer == w->index ? h->wbytes | mask : mask);
            h->wepoch = epoch;
            h->writer = (u8)w->index;
            h->wsite = site;
        } else {
            u32 same = h->repoch == epoch;
            h->readers = (u16)((same ? h->readers : 0) | 1u << w->index);
            h->rbytes = (u8)((same ? h->rbytes : 0) | mask);
            h->repoch = epoch;
            h->rsite = site;
        }
    }
}

/* ------------------------------------------------------------- life */
void kk3_san_start(Sim *s, Wg *g) {
    if (!sans) {
        nsans = s->nwgs;
        sans = calloc(nsans, sizeof(San *));
        marks = calloc(nsans, sizeof(u32));
        lines = calloc(s->nregions, sizeof(Line **));
        event = search_mark = 0;
    }
    San *q = sans[g->gid] = calloc(1, sizeof(San));
    q->launch = g->launch;
    q->rank = g->rank;
    q->xcd = g->xcd;
    for (u32 i = 0; i < 3; i++) q->bid[i] = g->bid[i];
    for (u32 i = 0; i < g->nwaves; i++) q->dirty[i] = 1;
}
void kk3_san_end(Sim *s, Wg *g) {
    (void)s;
    free(g->lds_shadow);
    g->lds_shadow = 0;
}
void kk3_san_free(Sim *s) {
    if (!sans) return;
    for (u32 g = 0; g < nsans; g++) {
        San *q = sans[g];
        if (!q) continue;
        clear_map(&q->base);
        for (u32 i = 0; i < MAX_WAVES; i++) {
            clear_map(&q->delta[i]);
            free(q->log[i]);
        }
        free(q);
    }
    for (u64 i = 0; i < s->nregions; i++) {
        Region *r = &s->regions[i];
        if (r->shadow) for (u64 k = 0; k <= r->size >> 12; k++) free(r->shadow[k]);
        free(r->shadow);
        r->shadow = 0;
        if (lines[i]) for (u64 k = 0; k <= r->size >> 16; k++) free(lines[i][k]);
        free(lines[i]);
    }
    free(sans);
    free(marks);
    free(lines);
    sans = 0;
    marks = 0;
    lines = 0;
}
