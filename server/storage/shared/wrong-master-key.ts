import { OperatorError } from '../../platform/errors.ts'

export class WrongMasterKey extends OperatorError {
  constructor() {
    super(
      'The master key is not the one that this database is sealed under: put back its key file, or set HUB_MASTER_KEY to it (a backup from before a rotation needs the key of that time).',
    )
  }
}
