import type { Box } from '../box.ts'
import { BOX_FAULTS, type BoxFault } from '../core/faults.ts'
import type { Overlay } from './model.ts'

const FIRST_LETTER = 'a'.charCodeAt(0)
/** Presses that are keys of the keypad. */
const KEYPAD = new Map([
  ['return', 'enter'],
  ['backspace', 'back'],
  ['c', 'clear'],
])

export function letterOf(fault: BoxFault): string {
  return String.fromCharCode(FIRST_LETTER + BOX_FAULTS.indexOf(fault))
}

/** Does what a press asks for. Returns what is open afterwards; undefined quits. */
export function pressBoxKey(press: string, box: Box, overlay: Overlay): Overlay | undefined {
  if (press === 'ctrl+c') return undefined
  const { power, plugged, state } = box.snapshot()
  if (overlay === 'faults') {
    const fault = BOX_FAULTS.find((one) => letterOf(one) === press)
    if (!fault) return 'none'
    box.setFault(fault, !state.faults.includes(fault))
    return 'faults'
  }
  if (overlay === 'qr') return 'none'
  switch (press) {
    case 'q':
      return undefined
    case 'b':
      return 'faults'
    case 'z':
      return 'qr'
    case 'o':
      if (power) box.powerOff()
      else box.powerOn()
      return 'none'
    case 'x':
      if (plugged) box.cutNetwork()
      else box.start()
      return 'none'
    default:
      box.press(KEYPAD.get(press) ?? press)
      return 'none'
  }
}
