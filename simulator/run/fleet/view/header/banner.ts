import { clockText, timeOfDay } from '../../../../screen/drawing/clock-text.ts'
import type { Summary } from '../../report/lines.ts'

/** What the banner says while the hub is away, the most important first; undefined while it is there. */
export function bannerText({ at, away, links, speakers }: Summary): string | undefined {
  if (!away) return undefined
  const { noSpeakerSince, noAnswerSince, failure } = away
  const since = [noSpeakerSince, noAnswerSince].filter((time) => time !== null).sort()[0] ?? at
  const what =
    noSpeakerSince && noAnswerSince
      ? 'no speaker, no partner API'
      : noSpeakerSince
        ? `none of ${speakers} speakers is connected`
        : `no partner API, ${links.connected} speakers connected`
  const forS = Math.max(0, (Date.parse(at) - Date.parse(since)) / 1000)
  const reason = failure === '' ? '' : ` (${failure})`
  return `✕ HUB AWAY for ${clockText(forS)}, since ${timeOfDay(Date.parse(since))}: ${what}${reason}`
}
