import type { AnnouncementTrail, Stage } from '../../../announcements/announcement.ts'
import { isFinal, OPEN_STAGES } from '../../../announcements/announcement.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { span } from '../../parts/format.ts'
import { stageIn } from '../../parts/stages.ts'
import type { Lang } from '../../parts/words.ts'

/** Less than this is said in milliseconds. */
const SHORT_MS = 95

/** The way of an announcement, one step for each stage: those that were reached are lit, with the time they took. */
export function trackOf(trail: AnnouncementTrail, receivedAt: number, lang: Lang): Html {
  const { serial, stage, times, reason } = trail
  const last: Stage = isFinal(stage) ? stage : 'played'
  // What has ended otherwise did not reach all stages on the way.
  const way = OPEN_STAGES.filter((one) => last === 'played' || times[one] !== undefined)
  const steps: readonly Stage[] = [...way, last]
  return html`<ol class="track ${stage}" aria-label="${serial}">${steps.map((step) => {
    // A speaker may report that it has played before it has reported that it has received.
    const isReached = steps.indexOf(step) <= steps.indexOf(stage)
    return html`<li class="${isReached ? 'lit ' : ''}${step}"${step === stage ? html` aria-current="step"` : ''}>${stageIn(lang)[step]}${step === 'queued' ? '' : tookTo(times[step], receivedAt, lang)}${step === 'failed' && reason !== undefined ? html` <code>${reason}</code>` : ''}</li>`
  })}</ol>`
}

function tookTo(at: number | undefined, receivedAt: number, lang: Lang): Html | string {
  if (at === undefined) return ''
  const ms = Math.max(0, at - receivedAt)
  return html`<small>${ms < SHORT_MS ? `${ms} ms` : span(ms, lang)}</small>`
}
