/*
 * The division of 64-bit numbers, which the compiler calls: r0 and r1 by r2 and r3, with the remainder in r2
 * and r3. That of libgcc is faster and takes 0.7 KiB more; the firmware divides a few numbers a minute. The
 * divisor is below 2^63.
 */

void __aeabi_uldivmod(void);

__attribute__((naked, used)) void __aeabi_uldivmod(void)
{
  __asm__ volatile("push {r4, r5, r6, lr}\n movs r4, #0\n movs r5, #0\n movs r6, #64\n"
                   /* The next bit of the dividend goes into the remainder in r4 and r5. */
                   "1: adds r0, r0, r0\n adcs r1, r1, r1\n adcs r4, r4, r4\n adcs r5, r5, r5\n"
                   "cmp r4, r2\n sbcs r12, r5, r3\n blo 2f\n"
                   "subs r4, r4, r2\n sbcs r5, r5, r3\n adds r0, r0, #1\n"
                   "2: subs r6, r6, #1\n bne 1b\n"
                   "mov r2, r4\n mov r3, r5\n pop {r4, r5, r6, pc}");
}
