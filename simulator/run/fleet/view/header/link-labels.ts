import type { Meaning } from '../../../../screen/drawing/theme.ts'
import type { LinkState } from '../../model/roster.ts'

/** A sign and a word for each state, so that colour alone carries no meaning. */
export const LINK_LABELS: Record<LinkState, { sign: string; text: string; meaning: Meaning }> = {
  new: { sign: '·', text: 'not yet', meaning: 'quiet' },
  connecting: { sign: '○', text: 'connecting', meaning: 'notice' },
  born: { sign: '○', text: 'no welcome', meaning: 'notice' },
  connected: { sign: '●', text: 'connected', meaning: 'good' },
  offline: { sign: '✕', text: 'offline', meaning: 'bad' },
  refused: { sign: '✕', text: 'refused', meaning: 'bad' },
  off: { sign: '✕', text: 'no power', meaning: 'bad' },
  broken: { sign: '✕', text: 'broken', meaning: 'bad' },
}
