/** The command numbers of one session. */
export class Numbers {
  /** All announcements up to this number were read, or ended before the session began. 0 before its birth. */
  known = 0
  /** Given numbers above `known`. At least one between them and `known` was not heard of. */
  #beyondGap: readonly number[] = []
  /** Numbers that are stored as given to this session, and that no command has yet. */
  #reserved: readonly number[] = []

  /**
   * A number was given. False when the session does not know all numbers before it: the answers of one commit may come
   * in any order.
   */
  given(n: number): boolean {
    this.#beyondGap = [...this.#beyondGap, n]
    this.knowUpTo(this.known)
    return n <= this.known
  }

  knowUpTo(n: number) {
    let known = Math.max(this.known, n)
    while (this.#beyondGap.includes(known + 1)) known += 1
    this.#beyondGap = this.#beyondGap.filter((one) => one > known)
    this.known = known
  }

  reserve(numbers: readonly number[]) {
    this.#reserved = numbers
    this.knowUpTo(Math.max(0, ...numbers))
  }

  takeReserved(): number | undefined {
    const [first] = this.#reserved
    if (first !== undefined) this.#reserved = this.#reserved.slice(1)
    return first
  }
}
