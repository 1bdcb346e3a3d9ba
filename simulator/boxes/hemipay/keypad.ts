import type { Turn } from '../core/turn.ts'

/** The digits that fit on the display. */
const MOST_DIGITS = 10

/**
 * A key of the keypad. Enter asks the hub for a bill. Then the screen says "connecting" until the hub has answered with the
 * same id and sent the bill; only `clear` ends this from the side of the box.
 */
export function pressKey(
  turn: Turn,
  key: string,
  send: (message: { message_id: string; packet_type: string; content: object }) => void,
) {
  const { keypad, link } = turn.state
  if (key === 'clear') return turn.set({ keypad: { typed: '' } })
  if (keypad.asked) return
  if (/^(\d|000)$/.test(key)) return type(turn, keypad.typed + key)
  if (key === 'back') return type(turn, keypad.typed.slice(0, -1))
  if (key !== 'enter' || keypad.typed === '' || link.phase !== 'online') return
  const [id, amount] = [turn.newId(), keypad.typed]
  turn.set({ keypad: { typed: '', asked: { id, amount, answered: false } } })
  send({ message_id: id, packet_type: 'request_payment', content: { amount_due: Number(amount) } })
  turn.emit({ event: 'keyed', id, amount })
}

/** `rsp_request_payment` with the id of the request. */
export function answerRequest(turn: Turn, id: string, status: unknown) {
  const { asked } = turn.state.keypad
  if (!asked || asked.answered || asked.id !== id) return turn.ignore('an answer without a request')
  const ok = status === 'success'
  turn.set({ keypad: { typed: '', ...(ok ? { asked: { ...asked, answered: true } } : {}) } })
  turn.emit({ event: 'answered', id, ok })
}

function type(turn: Turn, digits: string): void {
  const typed = digits.replace(/^0+/, '')
  if (typed.length <= MOST_DIGITS) turn.set({ keypad: { typed } })
}
