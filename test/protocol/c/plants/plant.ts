/** A bug that firmware engineers make, planted in the device in C. The kit finds it. */
export interface Plant {
  /** What is wrong. */
  name: string
  /** In protocol/examples/c. */
  file: string
  /** The text that is there once, and what is there instead. */
  text: string
  instead: string
  /** The cases that the device fails, or passes with a warning. */
  finds: readonly string[]
  /** Cases that go before, in the order of the kit. They bring the device into the state in which it fails. */
  after?: readonly string[]
  /** The device over a modem, in place of that for Linux. */
  isOverModem?: boolean
  /** The kit takes more than a quarter of a minute to find it. */
  isSlow?: boolean
  serial?: string
  /** How long one clip sounds. */
  clipMs?: number
}
