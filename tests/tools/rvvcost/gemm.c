/* C = A B in row-major float: tiles of seven rows by a group of four registers. */
#include <riscv_vector.h>

/* Volatile, so that the compiler cannot specialize the loops. */
static volatile const long shape[3] = {28, 128, 64};

enum { ROWS = 7 };

void gemm(const float *a, const float *b, float *c) {
    long m = shape[0], n = shape[1], depth = shape[2];
    for (long j = 0; j < n;) {
        unsigned long vl = __riscv_vsetvl_e32m4(n - j);
        for (long i = 0; i + ROWS <= m; i += ROWS) {
            const float *row = a + i * depth;
            vfloat32m4_t c0 = __riscv_vfmv_v_f_f32m4(0.f, vl);
            vfloat32m4_t c1 = c0, c2 = c0, c3 = c0, c4 = c0, c5 = c0, c6 = c0;
            for (long k = 0; k < depth; k++) {
                vfloat32m4_t v = __riscv_vle32_v_f32m4(b + k * n + j, vl);
                c0 = __riscv_vfmacc_vf_f32m4(c0, row[k], v, vl);
                c1 = __riscv_vfmacc_vf_f32m4(c1, row[depth + k], v, vl);
                c2 = __riscv_vfmacc_vf_f32m4(c2, row[2 * depth + k], v, vl);
                c3 = __riscv_vfmacc_vf_f32m4(c3, row[3 * depth + k], v, vl);
                c4 = __riscv_vfmacc_vf_f32m4(c4, row[4 * depth + k], v, vl);
                c5 = __riscv_vfmacc_vf_f32m4(c5, row[5 * depth + k], v, vl);
                c6 = __riscv_vfmacc_vf_f32m4(c6, row[6 * depth + k], v, vl);
            }
            float *out = c + i * n + j;
            __riscv_vse32_v_f32m4(out, c0, vl);
            __riscv_vse32_v_f32m4(out + n, c1, vl);
            __riscv_vse32_v_f32m4(out + 2 * n, c2, vl);
            __riscv_vse32_v_f32m4(out + 3 * n, c3, vl);
            __riscv_vse32_v_f32m4(out + 4 * n, c4, vl);
            __riscv_vse32_v_f32m4(out + 5 * n, c5, vl);
            __riscv_vse32_v_f32m4(out + 6 * n, c6, vl);
        }
        j += vl;
    }
}
