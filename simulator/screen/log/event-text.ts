import type { Happening } from '../../speaker/device/state/speaker-events.ts'
import { formatAmount } from '../drawing/money.ts'

/** A happening in words, for the log. */
export function describeHappening(happening: Happening): string {
  switch (happening.event) {
    case 'power':
      return happening.on ? 'switched on' : 'power cut'
    case 'fault':
      return `${happening.fault}: ${happening.on ? 'on' : 'off'}`
    case 'connected':
      return happening.linked ? 'connected' : 'connected; not registered with a shop'
    case 'disconnected':
      return `disconnected: ${happening.reason}`
    case 'vitals':
      return `battery ${happening.battery}\u00a0%, signal ${happening.signal}\u00a0dBm`
    case 'offline':
    case 'refused':
      return `${happening.reason}; ${describeRetry(happening.retryInMs)}`
    case 'profile':
      return happening.name === '' ? 'no shop' : `shop: ${happening.name}`
    case 'code':
      return `shows the code ${happening.code}`
    case 'qr':
      return `shows a QR: ${formatAmount(happening.amount)}, bill ${happening.bill}`
    case 'cleared':
      return `${happening.what === 'qr' ? 'QR' : 'code'} gone: ${CLEARED[happening.why]}`
    case 'announce':
      return `speaks: ${happening.text}`
    case 'played':
      return `played #${happening.n}`
    case 'paid':
      return `bill ${happening.bill} is paid: ${formatAmount(happening.amount)}`
    case 'missed':
      return `missed: ${happening.count}, ${formatAmount(happening.amount)}`
    case 'identify':
      return 'beeps'
    case 'settings':
      return `settings ${happening.ver}: volume ${happening.volume}, ${happening.lang}`
    case 'failed':
      return `can't: ${happening.t} #${happening.n} (${happening.rc})`
    case 'repeat':
      return `repeat of ${happening.t} #${happening.n}, already ${happening.stage}`
    case 'dropped':
      return `the ack of #${happening.n} (${happening.stage}) does not leave`
    case 'ignored':
      return `ignores a packet (${happening.reason})`
    case 'broken':
      return `broken: ${happening.reason}`
    case 'recorded':
      return `#${happening.n} is recorded: ${happening.file}`
    case 'trouble':
      return happening.reason
  }
}

function describeRetry(retryInMs: number | undefined): string {
  return retryInMs === undefined ? 'gives up' : `next try in ${Math.ceil(retryInMs / 1000)}\u00a0s`
}

const CLEARED = {
  command: 'the hub says so',
  expired: 'its time is up',
  unlinked: 'no shop any more',
} as const
