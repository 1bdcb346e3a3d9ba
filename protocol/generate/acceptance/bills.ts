import { heard, playing } from './announcements.ts'
import { acked, announceBody, command, type Draft, NOW, soundingOf, spoken, waitingOf } from './draft.ts'

const QR = { qr: '00020101021238', amount: '180000', bill: 'BILL-7', exp: NOW + 300 }

/** Announcements that pay the QR on the screen, or do not. */
export const billCases: Draft[] = [
  heard({
    name: 'announce with a bill, no QR on the screen: spoken, nothing to clear',
    clauses: ['7.12'],
    event: command('announce', announceBody('50000', { bill: 'BILL-7' })),
  }),
  heard({
    name: 'announce of the bill and amount of the QR on the screen: paid, and the QR goes',
    clauses: ['7.12'],
    level: 'SHOULD',
    before: { qr: QR },
    event: command('announce', announceBody('180000', { bill: 'BILL-7' })),
    effects: [{ do: 'show_paid', bill: 'BILL-7', amount: '180000' }, ...spoken(42, '180000')],
    after: { played: 42, sounding: soundingOf(42), qr: null },
  }),
  {
    name: 'the same while another sounds: paid at once, spoken in its turn',
    clauses: ['7.12'],
    level: 'SHOULD',
    before: { ...playing, qr: QR },
    event: command('announce', announceBody('180000', { bill: 'BILL-7' }), { n: 43 }),
    sends: [acked(43, 'received')],
    effects: [{ do: 'show_paid', bill: 'BILL-7', amount: '180000' }],
    after: { qr: null, waiting: [waitingOf(43, '180000')] },
  },
  heard(
    {
      name: 'announce of another bill: the QR stays',
      clauses: ['7.12'],
      before: { qr: QR },
      event: command('announce', announceBody('180000', { bill: 'BILL-8' })),
    },
    '180000',
  ),
  heard({
    name: 'announce of that bill with another amount: the QR stays',
    clauses: ['7.12'],
    before: { qr: QR },
    event: command('announce', announceBody('50000', { bill: 'BILL-7' })),
  }),
  heard(
    {
      name: 'announce without a bill: the QR stays, although the amount is the same',
      clauses: ['6.3', '7.12'],
      before: { qr: QR },
      event: command('announce', announceBody('180000')),
    },
    '180000',
  ),
]
