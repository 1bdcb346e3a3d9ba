import type { Actor } from '../../server/security/actor.ts'

/** Somebody at the command line. */
export const OPERATOR: Actor = { kind: 'operator', name: 'lan', from: 'command' }
