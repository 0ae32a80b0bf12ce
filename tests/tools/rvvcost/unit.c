/* ROUNDS times the eight instructions of BODY at SEW 32 and LMUL. */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

void unit(float *data) {
    long stride = 64;
    __asm__ volatile("vsetvli t0, zero, e32, m" TEXT(LMUL) ", ta, ma" ::: "t0");
    for (long i = 0; i < ROUNDS; i++)
        __asm__ volatile(BODY ::"r"(data), "r"(stride), "f"(1.0f) : "t0", "memory");
}
