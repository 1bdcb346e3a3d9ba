import type { KeptOutcome, Outcome } from '../../idempotency/ports.ts'

/** The text of an outcome, to be sealed. */
export function writeOutcome({ request, outcome }: KeptOutcome): string {
  return JSON.stringify({ request: request.toString('base64'), outcome })
}

export function readOutcome(text: string): KeptOutcome {
  // The vault opens only texts that it has sealed: this one comes from `writeOutcome`.
  const { request, outcome } = JSON.parse(text) as { request: string; outcome: Outcome }
  return { request: Buffer.from(request, 'base64'), outcome }
}
