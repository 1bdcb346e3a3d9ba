import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../../platform/clock.ts'
import { CannotStart } from '../../../platform/errors.ts'
import { mergeReports, mergeSummaries, type SummaryPart } from '../merge/merge.ts'
import type { Report } from '../report/lines.ts'
import type { FromParent } from './child.ts'
import { type Part, splitPart } from './part.ts'
import type { FromChild, Source } from './source.ts'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

/** A process of a fleet, and what it has told so far. */
interface Member {
  name: string
  child: ChildProcess
  latest: SummaryPart | undefined
  report: Report | undefined
  exited: Promise<void>
}

/** Runs equal parts of a fleet in several processes of this machine. */
export function startProcesses(whole: Part, count: number, clock: Clock): Source {
  const members = splitPart(whole, count).map((part, index) => startMember(part, `process ${index + 1}`))
  const end = () => {
    for (const { child } of members) if (child.connected) child.send({ kind: 'end' } satisfies FromParent)
  }
  const ended = Promise.all(members.map(({ exited }) => exited)).then(
    () => undefined,
    (error: unknown) => {
      for (const { child } of members) child.kill('SIGKILL')
      throw error
    },
  )
  return {
    ...{ startedAtMs: clock.now(), ended, end },
    summary() {
      const known = members.flatMap(({ latest }) => latest ?? [])
      return known.length === members.length ? mergeSummaries(known) : undefined
    },
    report(given) {
      const parts = members.flatMap(({ name, report }) => (report ? [{ file: name, report }] : []))
      return mergeReports(parts, given)
    },
  }
}

function startMember(part: Part, name: string): Member {
  const child = fork(CHILD, [], { serialization: 'advanced' })
  const member: Member = {
    ...{ name, child, latest: undefined, report: undefined },
    exited: new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        if (member.report) resolve()
        else reject(new CannotStart(`${name} of the fleet has ended without a report (${signal ?? code}).`))
      })
    }),
  }
  child.on('message', (message: FromChild) => {
    if (message.kind === 'report') member.report = message.report
    else member.latest = message
  })
  child.send({ kind: 'start', part } satisfies FromParent)
  return member
}
