import { formatAmount } from '../../../protocol/money/amount.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'

/** An event in words, for the log. */
export function describeEvent(event: SpeakerEvent): string {
  switch (event.event) {
    case 'power':
      return event.on ? 'switched on' : 'power cut'
    case 'fault':
      return `${event.fault}: ${event.on ? 'on' : 'off'}`
    case 'connected':
      return event.linked ? 'connected' : 'connected; not registered with a shop'
    case 'disconnected':
      return `disconnected: ${event.reason}`
    case 'vitals':
      return `battery ${event.battery}\u00a0%, signal ${event.signal}\u00a0dBm`
    case 'offline':
    case 'refused':
      return `${event.reason}; ${describeRetry(event.retryInMs)}`
    case 'profile':
      if (event.name === '' && event.qr === '') return 'no shop'
      return `shop: ${event.name}${event.locked ? ', locked' : ''}`
    case 'code':
      return `shows the code ${event.code}`
    case 'qr':
      return `shows a QR: ${formatAmount(event.amount)}, bill ${event.bill}`
    case 'cleared':
      return `${event.what === 'qr' ? 'QR' : 'code'} gone: ${CLEARED[event.why]}`
    case 'announce':
      return `speaks: ${event.text}`
    case 'played':
      return `played #${event.n}`
    case 'paid':
      return `bill ${event.bill} is paid: ${formatAmount(event.amount)}`
    case 'missed':
      return `missed: ${event.count}, ${formatAmount(event.amount)}`
    case 'identify':
      return 'beeps'
    case 'settings':
      return `settings ${event.ver}: volume ${event.volume}, ${event.lang}`
    case 'rekey':
      return event.key === 'next' ? 'has a new key, and connects with it' : 'the new key is confirmed'
    case 'update':
      return `firmware ${event.fw}: ${event.state}${event.percent === undefined ? '' : ` ${event.percent}\u00a0%`}`
    case 'failed':
      return `can't: ${event.t} #${event.n} (${event.rc})`
    case 'repeat':
      return `repeat of ${event.t} #${event.n}, already ${event.stage}`
    case 'dropped':
      return `the ack of #${event.n} (${event.stage}) does not leave`
    case 'ignored':
      return `ignores a packet (${event.reason})`
    case 'broken':
      return `broken: ${event.reason}`
    case 'recorded':
      return `#${event.n} is recorded: ${event.file}`
    case 'trouble':
      return event.reason
  }
}

function describeRetry(retryInMs: number | undefined): string {
  return retryInMs === undefined ? 'gives up' : `next try in ${Math.ceil(retryInMs / 1000)}\u00a0s`
}

const CLEARED = {
  command: 'the hub says so',
  expired: 'its time is up',
  unlinked: 'no shop any more',
  locked: 'the partner has locked it',
} as const
