import { it } from 'vitest'
import { kill } from '../../force/kill.ts'
import { expectToHold } from '../../support/proof/expect-to-hold.ts'

it(`kill: ${kill.promise}`, (context) => expectToHold(kill, context))
