/* Arithmetic that is a model of the hardware's or too long to inline: MFMA, transcendental functions,
 * conversions of small formats, cross-lane moves with a lane a lane. */
#include "kk3.h"

typedef float f16v __attribute__((vector_size(64), aligned(64)));
typedef u32 u16v __attribute__((vector_size(64), aligned(64)));
typedef double d8v __attribute__((vector_size(64), aligned(64)));

INLINE float as_f(u32 x) { float f; __builtin_memcpy(&f, &x, 4); return f; }
INLINE u32 as_u(float f) { u32 x; __builtin_memcpy(&x, &f, 4); return x; }
INLINE double as_d(u64 x) { double f; __builtin_memcpy(&f, &x, 8); return f; }
INLINE u64 as_q(double f) { u64 x; __builtin_memcpy(&x, &f, 8); return x; }
INLINE u32 is_nan(u32 x) { return (x & 0x7fffffff) > 0x7f800000; }
INLINE float flush(float f) { u32 x = as_u(f); return x & 0x7f800000 ? f : as_f(x & 0x80000000); }

/* ------------------------------------------------------------- small formats */
enum { FP8, BF8, FP6, BF6, FP4, BF16, F16, F32 };
static const float fp4_value[16] = {0, .5f, 1, 1.5f, 2, 3, 4, 6, -0.f, -.5f, -1, -1.5f, -2, -3, -4, -6};
static float half_value(u32 h) {
    u32 s = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31) return as_f(s | 0x7f800000 | m << 13);
    if (e) return as_f(s | (e + 112) << 23 | m << 13);
    float f = (float)m * 0x1p-24f;
    return s ? -f : f;
}
static float fp8_value(u32 b) {
    u32 e = b >> 3 & 15, m = b & 7;
    float f;
    if (e == 15 && m == 7) return as_f(0x7fc00000);
    if (e) f = as_f((e + 120) << 23 | m << 20);
    else f = (float)m * 0x1p-9f;
    return b & 128 ? -f : f;
}
static float bf8_value(u32 b) { return half_value(b << 8); }
/* Round to nearest even, `mant` bits of mantissa, smallest exponent `emin`; magnitude and sign apart. */
static float round_to(float a, u32 mant, i32 emin) {
    u32 x = as_u(a);
    i32 e = (i32)(x >> 23) - 127;
    if (e < emin) e = emin;
    double step = as_d((u64)(e - (i32)mant + 1023) << 52);
    double q = (double)a / step, r = (q + 0x1.8p52) - 0x1.8p52;
    return (float)(r * step);
}
INLINE u32 to_fp4(float v) {     /* ties go to the even code */
    u32 s = as_u(v) >> 28 & 8;
    float a = as_f(as_u(v) & 0x7fffffff);
    u32 c = (u32)(a > .25f) + (u32)(a >= .75f) + (u32)(a > 1.25f) + (u32)(a >= 1.75f) + (u32)(a > 2.5f)
          + (u32)(a >= 3.5f) + (u32)(a > 5.f);
    return s | (is_nan(as_u(v)) ? 7 : c);
}
static u32 to_fp8(Sim *sim, float v) {
    u32 s = as_u(v) >> 24 & 128;
    float a = as_f(as_u(v) & 0x7fffffff);
    if (is_nan(as_u(v))) return s | 127;
    float r = a > 1e6f ? 1e6f : round_to(a, 3, -6);
    if (r > 448.f) return sim->fp8_overflow ? s | 127 : s | 126;
    u32 x = as_u(r);
    i32 e = (i32)(x >> 23) - 127;
    if (e < -6) return s | (u32)(r * 512.f);
    return s | (u32)(e + 7) << 3 | (x >> 20 & 7);
}
static u32 to_bf8(Sim *sim, float v) {
    u32 s = as_u(v) >> 24 & 128;
    float a = as_f(as_u(v) & 0x7fffffff);
    if (is_nan(as_u(v))) return s | 127;
    float r = a > 1e6f ? 1e6f : round_to(a, 2, -14);
    if (r > 57344.f) return sim->fp8_overflow ? s | 124 : s | 123;
    u32 x = as_u(r);
    i32 e = (i32)(x >> 23) - 127;
    if (e < -14) return s | (u32)(r * 65536.f);
    return s | (u32)(e + 15) << 2 | (x >> 21 & 3);
}
static u32 to_half(float v) {
    u32 s = as_u(v) >> 16 & 0x8000;
    float a = as_f(as_u(v) & 0x7fffffff);
    if (is_nan(as_u(v))) return s | 0x7e00;
    if (a >= 65520.f) return s | 0x7c00;
    float r = round_to(a, 10, -14);
    u32 x = as_u(r);
    i32 e = (i32)(x >> 23) - 127;
    if (e < -14) return s | (u32)(r * 16777216.f);
    return s | (u32)(e + 15) << 10 | (x >> 13 & 1023);
}
INLINE u32 to_bf16(u32 x) {
    return is_nan(x) ? (x >> 16) | 64 : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

/* Pair conversions. To small: values data[0], data[1]; old word data[2]; scale data[3]; result data[0]. */
void kk3_to_small(Wave *w, u32 fmt, u32 sel, u32 scaled) {
    Io *io = w->io;
    for (u32 l = 0; l < LANES; l++) {
        float x = as_f(io->data[0][l]), y = as_f(io->data[1][l]);
        if (scaled) {
            float s = as_f(io->data[3][l] & 0x7f800000);
            x /= s;
            y /= s;
        }
        u32 old = io->data[2][l], r;
        if (fmt == FP4) {
            r = to_fp4(x) | to_fp4(y) << 4;
            old = (old & ~(255u << 8 * sel)) | r << 8 * sel;
        } else {
            r = fmt == FP8 ? to_fp8(w->sim, x) | to_fp8(w->sim, y) << 8 : to_bf8(w->sim, x) | to_bf8(w->sim, y) << 8;
            old = (old & ~(65535u << 16 * sel)) | r << 16 * sel;
        }
        io->data[0][l] = old;
    }
}
/* From small: word data[0], scale data[3]; result pair data[0], data[1]. single: sel is a byte. */
void kk3_from_small(Wave *w, u32 fmt, u32 sel, u32 scaled, u32 single) {
    Io *io = w->io;
    for (u32 l = 0; l < LANES; l++) {
        u32 word = io->data[0][l], a, b;
        float x, y, s = scaled ? as_f(io->data[3][l] & 0x7f800000) : 1.f;
        if (fmt == FP4) {
            a = word >> 8 * sel & 15;
            b = word >> (8 * sel + 4) & 15;
            x = fp4_value[a];
            y = fp4_value[b];
        } else {
            u32 at = single ? 8 * sel : 16 * sel;
            a = word >> at & 255;
            b = single ? a : word >> (at + 8) & 255;
            x = fmt == FP8 ? fp8_value(a) : bf8_value(a);
            y = fmt == FP8 ? fp8_value(b) : bf8_value(b);
        }
        io->data[0][l] = as_u(x * s);
        io->data[1][l] = as_u(y * s);
    }
}
void kk3_half(Wave *w, u32 to) {
    Io *io = w->io;
    for (u32 l = 0; l < LANES; l++)
        io->data[0][l] = to ? to_half(as_f(io->data[0][l])) : as_u(half_value(io->data[0][l]));
}

/* ------------------------------------------------------------- MFMA */
enum { ORDER_SEQUENTIAL, ORDER_PAIRWISE, ORDER_FUSED };
#define KMAX 128
static f16v At[KMAX * 2], Bt[KMAX * 2];      /* [k][half of 32 rows or columns] */
static f16v Sa[8], Sb[8];                    /* scale of each 32-block */

/* Lane operand words -> [k][row]: lane l holds row l % M and kpl consecutive k from kpl * (l / M). */
INLINE void unpack(u32 (*in)[LANES], f16v *out, u32 m, u32 kpl, u32 fmt, u32 flushes) {
    u32 groups = LANES / m, wide = m / 16;
    for (u32 g = 0; g < groups; g++)
        for (u32 j = 0; j < kpl; j++)
            for (u32 h = 0; h < wide; h++) {
                u32 lane = g * m + 16 * h;
                f16v v;
                u16v x;
                if (fmt == BF16) {
                    __builtin_memcpy(&x, &in[j / 2][lane], 64);
                    x = j & 1 ? x & 0xffff0000u : x << 16;
                    v = (f16v)x;
                } else if (fmt == F32) {
                    __builtin_memcpy(&v, &in[j][lane], 64);
                } else if (fmt == FP4) {
                    __builtin_memcpy(&x, &in[j / 8][lane], 64);
                    /* magnitude bits as fp32 exponent and first mantissa bit; 2^126 moves the bias,
                     * denormals included */
                    u32 at = 4 * (j % 8);
                    u16v mag = (at <= 22 ? x << (22 - at) : x >> (at - 22)) & 0x01c00000u;
                    v = (f16v)(mag | (x << (28 - at) & 0x80000000u)) * 0x1p126f;
                } else {
                    for (u32 r = 0; r < 16; r++) {
                        u32 word = fmt == F16 ? in[j / 2][lane + r] >> 16 * (j & 1) & 65535 : in[j / 4][lane + r] >> 8 * (j & 3) & 255;
                        v[r] = fmt == F16 ? half_value(word) : fmt == FP8 ? fp8_value(word) : bf8_value(word);
                    }
                }
                if (flushes) {
                    u16v bits = (u16v)v, is = (u16v)((bits & 0x7f800000) == 0);
                    v = (f16v)(bits & ~(is & 0x7fffffff));
                }
                out[(g * kpl + j) * wide + h] = v;
            }
}
/* acc[r] of 16 rows x 16 columns over k0..k1, C first, in order of k. exact: the products fit fp32, so
 * that a fused multiply-add rounds as an addition does. */
INLINE void rows_sequential(f16v *acc, const f16v *a, const f16v *b, u32 k1, u32 wide, u32 ha, u32 hb, u32 exact) {
    f16v c[16];
    for (u32 r = 0; r < 16; r++) c[r] = acc[r];
    for (u32 k = 0; k < k1; k++) {
        f16v bv = b[k * wide + hb];
        const float *av = (const float *)&a[k * wide + ha];
#pragma clang loop unroll(full)
        for (u32 r = 0; r < 16; r++) {
            f16v x = {av[r], av[r], av[r], av[r], av[r], av[r], av[r], av[r],
                      av[r], av[r], av[r], av[r], av[r], av[r], av[r], av[r]};
            c[r] = exact ? __builtin_elementwise_fma(x, bv, c[r]) : c[r] + x * bv;
        }
    }
    for (u32 r = 0; r < 16; r++) acc[r] = c[r];
}
static void rows_pairwise(f16v *acc, const f16v *a, const f16v *b, u32 k1, u32 wide, u32 ha, u32 hb) {
    for (u32 r = 0; r < 16; r++) {
        f16v p[KMAX];
        for (u32 k = 0; k < k1; k++) p[k] = ((const float *)&a[k * wide + ha])[r] * b[k * wide + hb];
        for (u32 n = k1; n > 1; n = (n + 1) / 2)
            for (u32 i = 0; i < n / 2; i++) {
                p[i] = p[2 * i] + p[2 * i + 1];
                if (i + 1 == n / 2 && n & 1) p[n / 2] = p[n - 1];
            }
        acc[r] = acc[r] + p[0];
    }
}
static void rows_fused(f16v *acc, const f16v *a, const f16v *b, u32 k1, u32 wide, u32 ha, u32 hb) {
    for (u32 r = 0; r < 16; r++) {
        double s[16];
        for (u32 c = 0; c < 16; c++) s[c] = 0;
        for (u32 k = 0; k < k1; k++) {
            double x = ((const float *)&a[k * wide + ha])[r];
            for (u32 c = 0; c < 16; c++) s[c] += x * (double)b[k * wide + hb][c];
        }
        for (u32 c = 0; c < 16; c++) acc[r][c] = (float)((double)acc[r][c] + s[c]);
    }
}
/* fp4 x fp4 of one block and row: every partial sum is a multiple of 1/4 below 2^11, so exact. */
INLINE f16v exact_sum(u32 t, u32 r, u32 wide, u32 ha, u32 hb) {
    f16v q0 = {0}, q1 = {0};
    for (u32 k = 32 * t; k < 32 * t + 32; k += 2) {
        float a = ((const float *)&At[k * wide + ha])[r], b = ((const float *)&At[(k + 1) * wide + ha])[r];
        f16v x = {a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a}, y = {b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b};
        q0 = __builtin_elementwise_fma(x, Bt[k * wide + hb], q0);
        q1 = __builtin_elementwise_fma(y, Bt[(k + 1) * wide + hb], q1);
    }
    return q0 + q1;
}
/* The four (or two) 32-blocks of a scaled MFMA: each block's sum, scaled, then added by `order`. */
static void rows_scaled(Sim *s, f16v *acc, u32 k1, u32 wide, u32 ha, u32 hb, u32 exact) {
    u32 blocks = k1 / 32;
    for (u32 r = 0; r < 16; r++) {
        f16v part[4];
        double wide_part[4][16];
        for (u32 t = 0; t < blocks; t++) {
            float sa = ((const float *)&Sa[t * wide + ha])[r];
            f16v scale = sa * Sb[t * wide + hb], sum = {0};
            if (exact) {
                sum = exact_sum(t, r, wide, ha, hb);
                if (s->mfma_order == ORDER_FUSED)
                    for (u32 c = 0; c < 16; c++) wide_part[t][c] = (double)sum[c] * (double)sa * (double)Sb[t * wide + hb][c];
            } else {
                double d[16];
                for (u32 c = 0; c < 16; c++) d[c] = 0;
                for (u32 k = 32 * t; k < 32 * t + 32; k++)
                    for (u32 c = 0; c < 16; c++)
                        d[c] += (double)((const float *)&At[k * wide + ha])[r] * (double)Bt[k * wide + hb][c];
                for (u32 c = 0; c < 16; c++) {
                    sum[c] = (float)d[c];
                    wide_part[t][c] = d[c] * (double)sa * (double)Sb[t * wide + hb][c];
                }
            }
            part[t] = sum * scale;
        }
        if (s->mfma_order == ORDER_SEQUENTIAL)
            for (u32 t = 0; t < blocks; t++) acc[r] = acc[r] + part[t];
        else if (s->mfma_order == ORDER_PAIRWISE)
            acc[r] = acc[r] + (blocks == 4 ? (part[0] + part[1]) + (part[2] + part[3]) : part[0] + part[1]);
        else
            for (u32 c = 0; c < 16; c++) {
                double d = 0;
                for (u32 t = 0; t < blocks; t++) d += wide_part[t][c];
                acc[r][c] = (float)((double)acc[r][c] + d);
            }
    }
}
/* A words data[0..7], B words data[8..15], C data[16..31] -> D data[0..]. Scales: a32, and a64's words. */
INLINE void mfma(Wave *w, u32 m, u32 k, u32 fa, u32 fb, u32 sela, u32 selb, u32 scaled) {
    Sim *s = w->sim;
    Io *io = w->io;
    u32 wide = m / 16, kpl = k * m / LANES;
    u32 flushes = s->mfma_denormals && fa >= BF16;
    unpack(io->data, At, m, kpl, fa, flushes);
    unpack(io->data + 8, Bt, m, kpl, fb, flushes);
    if (scaled) {
        const u32 *sb = (const u32 *)io->a64;
        for (u32 l = 0; l < LANES; l++) {
            u32 ea = io->a32[l] >> 8 * sela & 255, eb = sb[l] >> 8 * selb & 255;
            ((float *)Sa)[l] = ea == 255 ? as_f(0x7fc00000) : ea ? as_f(ea << 23) : 0x1p-127f;
            ((float *)Sb)[l] = eb == 255 ? as_f(0x7fc00000) : eb ? as_f(eb << 23) : 0x1p-127f;
        }
    }
    f16v acc[16];
    for (u32 hr = 0; hr < wide; hr++)
        for (u32 hc = 0; hc < wide; hc++) {
            for (u32 r = 0; r < 16; r++) {
                u32 row = 16 * hr + r;
                u32 reg = m == 16 ? row % 4 : 4 * (row / 8) + row % 4, g = m == 16 ? row / 4 : row / 4 % 2;
                __builtin_memcpy(&acc[r], &io->data[16 + reg][g * m + 16 * hc], 64);
            }
            if (scaled) rows_scaled(s, acc, k, wide, hr, hc, fa == FP4 && fb == FP4);
            else if (s->mfma_order == ORDER_SEQUENTIAL) rows_sequential(acc, At, Bt, k, wide, hr, hc, fa != F32);
            else if (s->mfma_order == ORDER_PAIRWISE) rows_pairwise(acc, At, Bt, k, wide, hr, hc);
            else rows_fused(acc, At, Bt, k, wide, hr, hc);
            for (u32 r = 0; r < 16; r++) {
                u32 row = 16 * hr + r;
                u32 reg = m == 16 ? row % 4 : 4 * (row / 8) + row % 4, g = m == 16 ? row / 4 : row / 4 % 2;
                if (flushes) {
                    u16v bits = (u16v)acc[r], is = (u16v)((bits & 0x7f800000) == 0);
                    acc[r] = (f16v)(bits & ~(is & 0x7fffffff));
                }
                /* operands are unpacked by now, so data[0..15] is free for the result */
                __builtin_memcpy(&io->data[reg][g * m + 16 * hc], &acc[r], 64);
            }
        }
}
void kk3_mfma(Wave *w, u32 m, u32 k, u32 fa, u32 fb, u32 sela, u32 selb, u32 scaled, u32 site) {
    w->counts[w->sites[site].stage * C_KINDS + C_MFMA]++;
    if (m == 16 && k == 32 && fa == BF16 && !scaled) mfma(w, 16, 32, BF16, BF16, 0, 0, 0);
    else if (m == 16 && k == 128 && fa == FP4 && fb == FP4) mfma(w, 16, 128, FP4, FP4, sela, selb, 1);
    else mfma(w, m, k, fa, fb, sela, selb, scaled);
}

/* ------------------------------------------------------------- transcendental functions */
enum { M_RCP, M_RSQ, M_SQRT, M_EXP2, M_LOG2, M_SIN, M_COS, M_EXP, M_LOG, M_LOG10, M_TANH, M_ERF, M_IEEE_SQRT,
       M_IEEE_RSQRT, M_POW, M_LOG1P, M_EXPM1, M_ATAN, M_ATAN2 };
extern double sin(double), cos(double), tanh(double), erf(double), pow(double, double), log1p(double), expm1(double),
    atan(double), atan2(double, double);

/* 2^x by its Taylor series on [-1/2, 1/2]: error below 1e-16, the same bits on every host. */
INLINE double exp2_d(double x) {
    x = x < -1100 ? -1100 : x > 1100 ? 1100 : x;
    double n = (x + 0x1.8p52) - 0x1.8p52, t = (x - n) * 0.69314718055994530942;
    double p = 1.0 / 6227020800.0;
    p = p * t + 1.0 / 479001600.0;
    p = p * t + 1.0 / 39916800.0;
    p = p * t + 1.0 / 3628800.0;
    p = p * t + 1.0 / 362880.0;
    p = p * t + 1.0 / 40320.0;
    p = p * t + 1.0 / 5040.0;
    p = p * t + 1.0 / 720.0;
    p = p * t + 1.0 / 120.0;
    p = p * t + 1.0 / 24.0;
    p = p * t + 1.0 / 6.0;
    p = p * t + 0.5;
    p = p * t + 1.0;
    p = p * t + 1.0;
    i64 e = (i64)n, half = e / 2;
    return p * as_d((u64)(half + 1023) << 52) * as_d((u64)(e - half + 1023) << 52);
}
/* log2 of a positive finite double through atanh of (m - 1) / (m + 1). */
static double log2_d(double x) {
    u64 b = as_q(x);
    i64 e = (i64)(b >> 52) - 1023;
    double m = as_d((b & 0xffffffffffffful) | 1023ul << 52);
    if (m > 1.41421356237309504880) { m *= 0.5; e++; }
    double z = (m - 1) / (m + 1), q = z * z, p = 0;
    for (i32 i = 25; i >= 1; i -= 2) p = p * q + 1.0 / (double)i;
    return (double)e + 2.0 * z * p * 1.44269504088896340736;
}
INLINE float rounded(Sim *s, double d) {
    float f = (float)d;
    if (!s->trans_rounding || f != f || f - f != 0 || (double)f == d) return f;
    u32 x = as_u(f);
    double a = d < 0 ? -d : d, b = (double)f < 0 ? -(double)f : (double)f;
    if (s->trans_rounding == 1) return b > a ? as_f(x - 1) : f;          /* towards zero */
    return b < a ? as_f(x + 1) : f;                                      /* away from zero */
}
INLINE double evaluate(u32 fn, double x, double y) {
    const double inf = as_d(0x7ff0000000000000ul), nan = as_d(0x7ff8000000000000ul);
    switch (fn) {
    case M_RCP: return 1.0 / x;
    case M_RSQ: case M_IEEE_RSQRT: return 1.0 / __builtin_sqrt(x);
    case M_SQRT: case M_IEEE_SQRT: return __builtin_sqrt(x);
    case M_EXP2: return x != x ? x : x == inf ? inf : exp2_d(x);
    case M_EXP: return x != x ? x : x == inf ? inf : exp2_d(x * 1.44269504088896340736);
    case M_LOG2: case M_LOG: case M_LOG10: {
        double r = x != x || x < 0 ? nan : x == 0 ? -inf : x == inf ? inf : log2_d(x);
        return fn == M_LOG ? r * 0.69314718055994530942 : fn == M_LOG10 ? r * 0.30102999566398119521 : r;
    }
    case M_SIN: return sin(x);
    case M_COS: return cos(x);
    case M_TANH: return tanh(x);
    case M_ERF: return erf(x);
    case M_POW: return pow(x, y);
    case M_LOG1P: return log1p(x);
    case M_EXPM1: return expm1(x);
    case M_ATAN: return atan(x);
    case M_ATAN2: return atan2(x, y);
    }
    return x;
}
void kk3_math(Wave *w, u32 fn, u32 lanes) {
    Io *io = w->io;
    Sim *s = w->sim;
    u32 hw = fn <= M_LOG2, fl = hw && s->trans_denormals;
    if (fn == M_EXP2) {
        for (u32 l = 0; l < lanes; l++) {
            float x = as_f(io->data[0][l]);
            x = fl ? flush(x) : x;
            float r = rounded(s, evaluate(M_EXP2, x, 0));
            io->data[0][l] = as_u(fl ? flush(r) : r);
        }
        return;
    }
    for (u32 l = 0; l < lanes; l++) {
        float x = as_f(io->data[0][l]), y = as_f(io->data[1][l]);
        x = fl ? flush(x) : x;
        double d = evaluate(fn, x, y);
        float r = hw ? rounded(s, d) : (float)d;
        io->data[0][l] = as_u(fl ? flush(r) : r);
    }
}

/* ------------------------------------------------------------- cross-lane, a lane a lane */
/* data[1][index a32] of each lane; lanes outside the mask supply zero. */
void kk3_permute(Wave *w, u64 mask) {
    Io *io = w->io;
    u32 t[LANES];
    for (u32 l = 0; l < LANES; l++) t[l] = mask >> l & 1 ? io->data[1][l] : 0;
    for (u32 l = 0; l < LANES; l++) io->data[0][l] = t[io->a32[l] >> 2 & 63];
}
/* Each lane sends data[1] to lane a32 / 4; the highest sending lane wins, others get zero. */
void kk3_permute_push(Wave *w, u64 mask) {
    Io *io = w->io;
    for (u32 l = 0; l < LANES; l++) io->data[0][l] = 0;
    for (u64 m = mask; m; m &= m - 1) io->data[0][io->a32[ctz64(m)] >> 2 & 63] = io->data[1][ctz64(m)];
}
/* gpu.shuffle: source lane in a32, width a power of two; data[1] -> data[0], valid in data[2]. */
void kk3_shuffle(Wave *w, u32 mode, u32 width) {
    Io *io = w->io;
    for (u32 l = 0; l < LANES; l++) {
        u32 base = l & ~(width - 1), k = io->a32[l], src;
        src = mode == 0 ? l ^ k : mode == 1 ? l - k : mode == 2 ? l + k : base + k;
        u32 ok = src >= base && src < base + width;
        io->data[0][l] = io->data[1][ok ? src : l];
        io->data[2][l] = ok;
    }
}
