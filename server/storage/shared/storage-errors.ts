import { HubError, OperatorError } from '../../platform/errors.ts'

/** The error of a storage that can't answer now: the caller can try again in a second. */
export function unavailable(cause?: unknown): HubError {
  return new HubError('UNAVAILABLE', { retryAfterS: 1, cause })
}

export class WrongMasterKey extends OperatorError {
  constructor() {
    super(
      'The master key is not the one that this database is sealed under: put back its key file, or set HUB_MASTER_KEY to it (a backup from before a rotation needs the key of that time).',
    )
  }
}
