import type { SimulatedSpeaker } from '../speaker/speaker.ts'
import type { Books } from './books.ts'
import type { AnnouncementRow, FileReader } from './file.ts'
import type { Speech } from './speech.ts'
import { isFinal, isUnshown } from './stages.ts'

interface World {
  file: FileReader
  /** As last read. */
  rows: readonly AnnouncementRow[]
  books: Books
  speech: Pick<Speech, 'isTold'>
  speakers: readonly SimulatedSpeaker[]
}

/** Asked after everything that happens: not an error yet, whose making takes longer than the asking. */
export interface Unrest {
  invariant: string
  what: string
}

/** What is still under way; undefined once everything is told, and everybody knows the same. */
export function findUnrest({ file, rows, books, speech, speakers }: World): Unrest | undefined {
  const unanswered = books.entries.find(({ answer }) => !answer)
  if (unanswered) return { invariant: 'rest', what: `${unanswered.money.amount} was never answered` }
  // What is for a speaker that is away for ever only waits for its time to be over.
  const told = rows.filter(({ serial }) => speakers.some((speaker) => speaker.serial === serial))
  const open = told.find((row) => !isFinal(row))
  if (open) return { invariant: 'rest', what: `${nameOf(open)} is still on its way: ${open.stage}` }
  const unshown = told.find((row) => isUnshown(row) && file.device(row.serial)?.clientId)
  if (unshown) return { invariant: 'missed', what: `${nameOf(unshown)} was never shown as missed` }
  const untold = told.find((row) => !speech.isTold(row))
  if (untold)
    return { invariant: 'told once', what: `${nameOf(untold)} was neither said nor shown as missed` }
  for (const speaker of speakers) {
    const wrong = unrestOf(speaker, file)
    if (wrong !== undefined) return { invariant: 'rest', what: `${speaker.serial} ${wrong}` }
  }
  return undefined
}

/** In calm weather a speaker is welcomed, has told all its news, and knows whether it is registered. */
function unrestOf(speaker: SimulatedSpeaker, file: FileReader): string | undefined {
  const state = speaker.state()
  if (!state || speaker.wellSince() === undefined) return 'is not there'
  const isLinked = (file.device(speaker.serial)?.clientId ?? null) !== null
  if (state.linked !== isLinked) return `shows that it is ${state.linked ? '' : 'not '}registered`
  if (state.pendingAcks.length > 0) return 'has acks that the hub has never confirmed'
  if (state.queue.length > 0 || state.sounding) return 'has still something to say'
  return state.qr && wrongBill(state.qr.bill, speaker.serial, file)
}

/** What is on the screen will be paid: a bill that is paid already must not be there, nor another shop's. */
function wrongBill(billNumber: string, serial: string, file: FileReader): string | undefined {
  const bill = file.bill(billNumber)
  const device = file.device(serial)
  // Made after the backup that was restored: nobody but the screen knows it.
  if (!bill) return undefined
  if (bill.isPaid) return `shows the bill ${billNumber}, which is paid`
  if (!device?.stores.split(',').includes(bill.storeId))
    return `shows the bill ${billNumber} of another's store`
  if (!device.active) return `shows the bill ${billNumber} although it is locked`
  return undefined
}

function nameOf({ amount, serial }: AnnouncementRow): string {
  return `the announcement of ${amount} to ${serial}`
}
