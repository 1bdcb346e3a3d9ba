import type { Speaker } from '../../../simulator/speaker/speaker.ts'
import type { Note } from './history.ts'

/** Notes what a shop notices of a speaker of the simulator. */
export function noteSpeaker(speaker: Speaker, terminalID: string, note: Note) {
  speaker.subscribe((item) => {
    if (item.kind !== 'event') return
    const { event } = item
    if (event.event === 'announce') note({ kind: 'heard', terminalID, amount: event.amount })
    if (event.event === 'missed') note({ kind: 'shown', terminalID, count: event.count, sum: event.amount })
    if (event.event === 'connected') note({ kind: 'online', terminalID })
    if (event.event === 'disconnected') note({ kind: 'offline', terminalID })
  })
}
