/* Waves as coroutines, barriers, sleeping, and the deterministic scheduler over all launches. */
#include "kk3.h"

/* ------------------------------------------------------------- findings */
Finding *kk3_find(Sim *s, Wave *w, u32 kind, u32 site, u64 addr, u32 lane, u64 extra) {
    u32 kernel = w ? w->wg->launch->kernel : 0;
    for (u32 i = 0; i < s->nfindings; i++) {
        Finding *f = &s->findings[i];
        if (f->kind == kind && f->site == site && f->kernel == kernel) { f->count++; return 0; }
    }
    if (s->nfindings == s->cap_findings) return 0;
    Finding *f = &s->findings[s->nfindings++];
    memset(f, 0, sizeof *f);
    f->kind = kind; f->site = site; f->addr = addr; f->lane = lane; f->extra = extra;
    f->clock = s->clock; f->count = 1; f->other_site = ~0u; f->kernel = kernel; f->rank = -1;
    if (w) {
        f->wave = w->index; f->wg = w->wg->gid; f->rank = w->wg->rank;
        for (u32 i = 0; i < 3; i++) f->bid[i] = w->bid[i];
    }
    return f;
}
NOINLINE void kk3_fault(Wave *w, u32 kind, u32 site, u64 addr, u32 lane, u64 extra) {
    kk3_find(w->sim, w, kind, site, addr, lane, extra);
    w->last_site = site;
    for (;;) kk3_yield(w, YIELD_FAULT);
}

/* ------------------------------------------------------------- coroutines */
void kk3_yield(Wave *w, u32 kind) {
    w->sim->yield_kind = kind;
    kk3_switch(&w->sp, w->sim->main_sp);
}
void kk3_enter(void) __attribute__((used));
static Sim *running;
void kk3_enter(void) {      /* first code of every new stack */
    Wave *w = running->current;
    w->wg->launch->fn(w);
    for (;;) kk3_yield(w, YIELD_DONE);
}
#define CANARY 0x6b6b335f63616e61ul
static void new_stack(Sim *s, Wave *w) {
    u32 i = s->free_stacks[--s->nfree];
    u32 used = (u32)(s->nstacks - s->nfree);
    if (used > s->stacks_peak) s->stacks_peak = used;
    w->stack = s->stack_arena + (u64)i * s->stack_bytes;
    *(u64 *)w->stack = CANARY;
    u64 *top = (u64 *)(w->stack + s->stack_bytes - 64);
    memset(top - 24, 0, 24 * 8);
    /* laid out as kk3_switch leaves a suspended stack: saved registers, then the return address */
    if (s->arch == 0) {
        top[-1] = 0;
        top[-2] = (u64)kk3_enter;
        w->sp = top - 8;    /* six registers below the return address */
    } else {
        w->sp = top - 20;   /* d8-d15, x19-x28, x29, x30 */
        ((u64 *)w->sp)[19] = (u64)kk3_enter;
    }
}

/* ------------------------------------------------------------- called by generated code */
void kk3_sleep(Wave *w, u32 site) {
    const Site *s = &w->sites[site];
    w->counts[s->stage * C_KINDS + C_SLEEP]++;
    w->slept++;
    w->last_site = site;
    kk3_yield(w, YIELD_SLEEP);
}
void kk3_poll_begin(Wave *w, u32 site) {
    w->counts[w->sites[site].stage * C_KINDS + C_POLL]++;
    w->slept = 0;
}
void kk3_poll_end(Wave *w, u32 site) {
    if (w->slept) w->counts[w->sites[site].stage * C_KINDS + C_POLL_WAITED]++;
    w->slept = 0;
}
void kk3_barrier(Wave *w, u64 mask, u32 site) {
    const Site *s = &w->sites[site];
    w->last_site = site;
    if (mask != w->mask0) kk3_fault(w, F_DIVERGENT_BARRIER, site, 0, ctz64(w->mask0 & ~mask), mask);
    w->counts[s->stage * C_KINDS + C_BARRIER] += w->index == 0;
    kk3_yield(w, YIELD_BARRIER);
}
void kk3_waitcnt(Wave *w, u32 bits, u32 site) {
    (void)site;
    if (w->sim->sanitize && (bits & 15) == 0 && (bits >> 14 & 3) == 0) kk3_san_wait(w);
}
void kk3_fence(Wave *w, u32 acquire, u32 release, u32 scope, u32 site) {
    (void)site;
    if (w->sim->sanitize) kk3_san_fence(w, acquire, release, scope);
}
void kk3_quantum(Wave *w, u32 site) {
    w->last_site = site;
    kk3_yield(w, YIELD_QUANTUM);
}
u64 kk3_clock(Wave *w) { return w->sim->clock; }
void kk3_ops(Wave *w, u32 stage, u32 n) { w->counts[stage * C_KINDS + C_OPS] += n; w->ops += n; }

/* ------------------------------------------------------------- random numbers */
INLINE u64 rnd(Sim *s) {
    u64 x = s->rng += 0x9E3779B97F4A7C15ul;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ul;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBul;
    return x ^ (x >> 31);
}

/* ------------------------------------------------------------- starting and ending workgroups */
static u32 can_start(Sim *s, Launch *l) {
    if (l->started == l->nwg || s->clock < l->start_clock) return 0;
    if (l->after && s->launches[l->after - 1].finished != s->launches[l->after - 1].nwg) return 0;
    return l->started - l->finished < l->resident && s->nfree >= l->nwaves;
}
static void start_wg(Sim *s, Launch *l) {
    u32 local = l->started++;
    if (s->order == 1) local = l->nwg - 1 - local;
    Wg *g = &s->wgs[l->first_gid + local];
    g->launch = l; g->gid = l->first_gid + local; g->local = local; g->rank = l->rank;
    g->bid[0] = local % l->grid[0];
    g->bid[1] = local / l->grid[0] % l->grid[1];
    g->bid[2] = local / (l->grid[0] * l->grid[1]);
    g->xcd = local % s->xcds;
    g->nwaves = g->live = l->nwaves;
    g->active = 1;
    g->waves = calloc(l->nwaves, sizeof(Wave));
    g->lds = calloc(l->lds_bytes + 64, 1);
    g->lds_init = calloc(l->lds_bytes / 4 + 64, 1);
    u32 threads = l->block[0] * l->block[1] * l->block[2];
    for (u32 i = 0; i < l->nwaves; i++) {
        Wave *w = &g->waves[i];
        u32 left = threads - i * LANES;
        w->mask0 = left >= LANES ? ~0ul : (1ul << left) - 1;
        w->args = l->args; w->io = s->io; w->index = i; w->wg = g; w->sim = s; w->sites = l->sites;
        w->budget = s->quantum;
        w->last_site = ~0u;
        for (u32 k = 0; k < 3; k++) w->bid[k] = g->bid[k], w->grid[k] = l->grid[k];
        w->counts = l->counts + (u64)local * l->nstages * C_KINDS;
        new_stack(s, w);
    }
    if (s->sanitize) kk3_san_start(s, g);
    if (s->nactive == s->cap_active) {
        s->cap_active = s->cap_active * 2 + 256;
        s->active = realloc(s->active, s->cap_active * sizeof(u32));
    }
    s->active[s->nactive++] = g->gid;
}
static void end_wave(Sim *s, Wave *w) {
    if (w->stack) {
        u64 words = s->stack_bytes / 8, i = 1;
        if ((w->wg->gid & 63) == 0 && w->index == 0) {   /* a sample of the depth used */
            while (i < words && ((u64 *)w->stack)[i] == 0) i += 8;
            u64 used = s->stack_bytes - i * 8;
            if (used > s->stack_peak_bytes) s->stack_peak_bytes = used;
        }
        s->free_stacks[s->nfree++] = (u32)((u64)(w->stack - s->stack_arena) / s->stack_bytes);
    }
    w->stack = 0;
    free(w->private_mem);
    free(w->private_init);
    w->private_mem = w->private_init = 0;
}
static void end_wg(Sim *s, Wg *g) {
    Launch *l = g->launch;
    if (s->sanitize) kk3_san_end(s, g);
    for (u32 i = 0; i < g->nwaves; i++) if (g->waves[i].stack) end_wave(s, &g->waves[i]);
    l->depth[g->local] = g->depth;
    free(g->lds); free(g->lds_init); free(g->waves);
    g->lds = g->lds_init = 0;
    g->waves = 0;
    g->active = 0;
    l->finished++;
    if (l->finished == l->nwg) l->end_clock = s->clock;
    s->progress++;
}

/* ------------------------------------------------------------- running */
static u32 wakes(Sim *s, Wave *w, u32 all) {
    if (all || w->nwatch == 0 || w->nwatch > WATCH) return 1;
    for (u32 i = 0; i < w->nwatch; i++) if (s->stamp[w->watch[i]] > w->watch_since) return 1;
    return 0;
}
static void release(Sim *s, Wg *g) {
    g->barriers++;
    g->at_barrier = 0;
    if (s->sanitize) kk3_san_barrier(g);
    for (u32 i = 0; i < g->nwaves; i++)
        if (g->waves[i].state == AT_BARRIER) g->waves[i].state = READY;
    s->progress++;
}
/* Run one wave until it yields. Returns a RUN_ code, or ~0 to go on. */
static u32 step(Sim *s, Wg *g, Wave *w) {
    s->current = w;
    if (w->state == ASLEEP) { w->state = READY; w->nwatch = 0; s->poll_switches++; }
    w->budget = s->random_quantum ? 1 + (u32)(rnd(s) % s->quantum) : s->quantum;
    s->switches++;
    do {
        kk3_switch(&s->main_sp, w->sp);
    } while (s->yield_kind == YIELD_PAGE && !s->provide(s->want_region, s->want_page));
    if (*(u64 *)w->stack != CANARY) {
        kk3_find(s, w, F_STACK, w->last_site, 0, 0, s->stack_bytes);
        return RUN_FAULT;
    }
    switch (s->yield_kind) {
    case YIELD_PAGE: return RUN_PAGE;
    case YIELD_FAULT: return RUN_FAULT;
    case YIELD_DONE:
        w->state = DONE;
        g->live--;
        s->progress++;
        end_wave(s, w);
        if (g->at_barrier && g->live) {
            for (u32 i = 0; i < g->nwaves; i++)
                if (g->waves[i].state == AT_BARRIER) {
                    kk3_find(s, &g->waves[i], F_BARRIER_ENDED, g->waves[i].last_site, 0, 0, w->index);
                    break;
                }
            return RUN_FAULT;
        }
        break;
    case YIELD_BARRIER:
        if (g->live < g->nwaves) {
            kk3_find(s, w, F_BARRIER_ENDED, w->last_site, 0, 0, g->nwaves - g->live);
            return RUN_FAULT;
        }
        w->state = AT_BARRIER;
        if (++g->at_barrier == g->live) release(s, g);
        break;
    case YIELD_SLEEP: w->state = ASLEEP; break;
    default: break;
    }
    return ~0u;
}
/* One visit: every wave that can run, until each is asleep, ended, or used its quantum. */
static u32 visit(Sim *s, Wg *g, u32 all, u32 *ran) {
    u64 tried = 0, preempted = 0;
    for (;;) {
        u32 did = 0, n = g->nwaves;
        u32 at = s->shuffle_waves ? (u32)(rnd(s) % n) : 0;
        for (u32 k = 0; k < n; k++) {
            u32 i = s->order == 1 ? n - 1 - k : (k + at) % n;
            Wave *w = &g->waves[i];
            if (w->state == ASLEEP && !(tried >> i & 1) && wakes(s, w, all)) ;
            else if (w->state != READY || (preempted >> i & 1)) continue;
            tried |= 1ul << i;
            u32 r = step(s, g, w);
            did = *ran = 1;
            if (r != ~0u) return r;
            if (s->yield_kind == YIELD_QUANTUM) { preempted |= 1ul << i; s->progress++; }
            if (!g->live) return ~0u;
        }
        if (!did) return ~0u;
    }
}
static u32 may_run(Sim *s, Wg *g) {
    if (s->clock < g->not_before) {
        if ((i64)g->not_before < s->next_event) s->next_event = (i64)g->not_before;
        return 0;
    }
    return !(g->killed_at && s->clock + 1 >= g->killed_at);
}
static void deadlocked(Sim *s) {
    for (u32 a = 0; a < s->nactive; a++) {
        Wg *g = &s->wgs[s->active[a]];
        for (u32 i = 0; i < g->nwaves; i++) {
            Wave *w = &g->waves[i];
            if (w->state == DONE) continue;
            Finding *f = kk3_find(s, w, F_DEADLOCK, w->last_site, 0, 0, w->state);
            if (f && g->killed_at && s->clock + 1 >= g->killed_at) f->extra = KILLED;
        }
    }
}
u32 kk3_run(Sim *s, u64 max_rounds) {
    running = s;
    u32 all = 0;
    for (u64 round = 0; round < max_rounds; round++) {
        u32 live = 0, ran = 0, waiting = 0;
        s->next_event = 0x7fffffffffffffffl;
        for (u32 i = 0; i < s->nlaunches; i++) {
            Launch *l = &s->launches[i];
            if (l->finished < l->nwg) live = 1;
            if (l->started < l->nwg && s->clock < l->start_clock) {
                waiting = 1;
                if ((i64)l->start_clock < s->next_event) s->next_event = (i64)l->start_clock;
            }
            while (can_start(s, l)) { start_wg(s, l); ran = 1; }
        }
        if (!live) return RUN_FINISHED;
        if (s->order == 2)
            for (u32 i = s->nactive; i > 1; i--) {
                u32 j = (u32)(rnd(s) % i), t = s->active[i - 1];
                s->active[i - 1] = s->active[j];
                s->active[j] = t;
            }
        u32 kept = 0, r = ~0u;
        u64 before = s->progress;
        for (u32 a = 0; a < s->nactive; a++) {
            Wg *g = &s->wgs[s->active[a]];
            if (r == ~0u && g->live && may_run(s, g) && (!g->starve || all || s->rounds % g->starve == 0))
                r = visit(s, g, all, &ran);
            if (!g->live) end_wg(s, g);
            else s->active[kept++] = s->active[a];
        }
        s->nactive = kept;
        s->rounds++;
        if (r != ~0u) return r;
        s->clock += s->tick;
        if (s->progress != before) { s->idle_rounds = 0; all = 0; continue; }
        /* nothing changed: nobody can be woken by a store, so let the clock run, faster and faster,
         * up to the next planned event, and let every sleeper look again */
        u64 jump = s->tick << (s->idle_rounds < 40 ? s->idle_rounds : 40);
        if (jump > s->idle_cap) jump = s->idle_cap;
        s->idle_rounds++;
        if (s->next_event != 0x7fffffffffffffffl) {
            if ((i64)(s->clock + jump) > s->next_event) jump = (u64)s->next_event > s->clock ? (u64)s->next_event - s->clock : 0;
            waiting = 1;
        }
        s->clock += jump;
        all = 1;
        u32 asleep = 0;
        for (u32 a = 0; a < s->nactive; a++) {
            Wg *g = &s->wgs[s->active[a]];
            if (g->killed_at && s->clock + 1 >= g->killed_at) continue;
            for (u32 i = 0; i < g->nwaves; i++) asleep |= g->waves[i].state == ASLEEP || g->waves[i].state == READY;
        }
        if (!waiting && (!asleep || s->idle_rounds > s->max_idle)) { deadlocked(s); return RUN_DEADLOCK; }
        if (s->max_clock && s->clock > s->max_clock) { deadlocked(s); return RUN_DEADLOCK; }
    }
    return RUN_PAUSED;
}

void kk3_free(Sim *s) {
    for (u32 a = 0; a < s->nactive; a++) {
        Wg *g = &s->wgs[s->active[a]];
        if (s->sanitize) kk3_san_end(s, g);
        for (u32 i = 0; i < g->nwaves; i++) {
            free(g->waves[i].private_mem);
            free(g->waves[i].private_init);
        }
        free(g->lds); free(g->lds_init); free(g->waves);
    }
    free(s->active);
    s->active = 0;
    s->nactive = 0;
    for (u64 i = 0; i < s->nregions; i++) {
        Region *r = &s->regions[i];
        if (r->depth) {
            for (u64 k = 0; k <= r->size >> 16; k++) free(r->depth[k]);
            free(r->depth);
        }
        free(r->init);
        r->depth = 0;
        r->init = 0;
    }
    if (s->sanitize) kk3_san_free(s);
}

/* sizes and offsets Python and generated code rely on */
#define OFF(t, f) (u64)__builtin_offsetof(t, f)
static const u64 layout[] = {
    sizeof(Site), sizeof(Io), sizeof(Region), sizeof(Finding), sizeof(Launch), sizeof(Wave), sizeof(Wg), sizeof(Sim),
    OFF(Wave, mask0), OFF(Wave, args), OFF(Wave, io), OFF(Wave, ops), OFF(Wave, index), OFF(Wave, budget),
    OFF(Wave, bid), OFF(Wave, grid), OFF(Io, a32), OFF(Io, a64), OFF(Io, data),
    sizeof(Shadow), OFF(Shadow, writer), OFF(Shadow, wsite), F_COUNT, C_KINDS,
};
const u64 *kk3_layout(u32 *n) { *n = sizeof layout / sizeof *layout; return layout; }
