import { it } from 'vitest'
import { expectNoNewTags } from '../../../server/console/hostile.ts'

it('no text of a partner, a device or a processor adds an element or an attribute to any page', () =>
  expectNoNewTags(20))
