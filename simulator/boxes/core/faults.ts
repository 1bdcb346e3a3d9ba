/** What can be wrong with a box of another maker. Each has the failures that operators of such boxes report. */
export const BOX_FAULTS = [
  'no-puback',
  'dies-before-reply',
  'stray-reply',
  'forgets-ids',
  'recites',
  'busy-drops',
  'qos0',
  'wrong-topic',
  'stalls',
] as const

export type BoxFault = (typeof BOX_FAULTS)[number]

/** What each fault does, in a few words. */
export const BOX_FAULT_NOTES: Readonly<Record<BoxFault, string>> = {
  'no-puback': 'says what it gets and confirms nothing',
  'dies-before-reply': 'says a payment, dies before it answers',
  'stray-reply': 'answers with ids that nobody has sent',
  'forgets-ids': 'says a repeated message again',
  recites: 'keeps its session: CONNECT with clean=0',
  'busy-drops': 'drops what comes while it speaks',
  qos0: 'subscribes with QoS 0',
  'wrong-topic': 'subscribes to another topic',
  stalls: 'its line passes no byte, and stays open',
}

export function isBoxFault(name: string): name is BoxFault {
  return BOX_FAULTS.some((fault) => fault === name)
}

/** The faults after one was switched on or off, in the order of `BOX_FAULTS`. */
export function withBoxFault(faults: readonly BoxFault[], fault: BoxFault, on: boolean): readonly BoxFault[] {
  return BOX_FAULTS.filter((one) => (one === fault ? on : faults.includes(one)))
}
