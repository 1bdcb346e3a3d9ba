import { globSync } from 'node:fs'
import { type Edit, keyOf } from './edit.ts'
import { listEdits } from './list.ts'

/** Where a rule of sb/1 is in the speaker's hands. */
const SOURCES = [
  'simulator/speaker/device/**/*.ts',
  'simulator/speaker/connection/{backoff,connection,incoming,session}.ts',
  'simulator/speaker/memory/memory.ts',
  'protocol/frame.ts',
  'protocol/messages/command.ts',
]

/** What no run of the kit could tell from the right speaker, by the text of the edit alone. */
const LEFT_OUT: readonly { edit: RegExp; why: string }[] = [
  { edit: /state\/(faults|events|speaker-events)\.ts/, why: 'texts and types for people at the simulator' },
  { edit: /vitals/i, why: 'battery and signal: telemetry binds the hub to nothing (8.4)' },
  {
    edit: /faults|\bfault\b|silence|stopInaudible|forgetsPlayed|forgotten|SMALL_BUFFER|WRONG_CLOCK|slowLink|drain|switch_off/i,
    why: 'acts only while a person has switched a fault on',
  },
  {
    edit: /: \{ event: |'(expired|unlinked|command)'\) →/,
    why: 'words of an event for people at the simulator',
  },
  { edit: /\b(fw|model|firmware): '?\w|reason/, why: 'free text for people' },
  { edit: /secondsLeft|no_network/, why: 'the countdown and the notice "no network" are not in sb/1' },
  {
    edit: /[nN]ote\b|noteOut|type: 'packet'|describeBody|byeSent|packet\('|cmd !== /,
    why: 'the log of packets',
  },
  {
    edit: /stopWhenRefused|everWelcomed|#reconnecting|'it connects anew'|dismiss|begun|startsMs|elapsedMs/,
    why: 'an option, a key or a picture of the simulator',
  },
  {
    edit: /msPerClip|rxBytes|caps: CAPS|\['screen', 'speaker', 'qr'\]|languages: \[|volume: 80|clipLengths/,
    why: 'hardware of another kind, which its birth tells',
  },
  { edit: /(MOST_\w+|MAX_QUEUED) = \d+ → .* [1-9]/, why: 'more room than the product has' },
  {
    edit: /command\.ts: .*(describe|meta)\(|command\.ts: (\w+: '|\{ welcome: 'received')/,
    why: "the hub's use of this file",
  },
]

/** All edits that could make a difference. */
export function editsInScope(root: string): Edit[] {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()
  return listEdits(root, files).filter((edit) => !LEFT_OUT.some((one) => one.edit.test(keyOf(edit))))
}
