import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { createTestApi } from '../../../support/api.ts'

/** Added to the linter's strictest ruleset, of which no rule is switched off. */
const MORE_RULES = {
  'component-name-unique': 'error',
  'no-http-verbs-in-paths': 'error',
  'operation-description': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'parameter-description': 'error',
  'path-params-defined': 'error',
  'paths-kebab-case': 'error',
  'request-mime-type': {
    severity: 'error',
    allowedValues: ['application/json', 'application/xml', 'text/csv'],
  },
  'response-mime-type': { severity: 'error', allowedValues: ['application/json', 'text/csv'] },
  'response-contains-header': {
    severity: 'error',
    names: { '2XX': ['X-Request-Id'], '4XX': ['X-Request-Id'], '5XX': ['X-Request-Id'] },
  },
  'scalar-property-missing-example': 'error',
} as const

/** What other servers than the hub answer, and what types of events are named, is not the hub's to follow. */
const OF_THE_HUB: readonly string[] = ['response-contains-header', 'paths-kebab-case']

it('the document at /openapi.json has no linter warning', async () => {
  const text = await createTestApi().text('/openapi.json')
  const config = await createConfig({ extends: ['recommended-strict'], rules: MORE_RULES })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  const told = problems
    .filter(
      ({ ruleId, location }) =>
        !(OF_THE_HUB.includes(ruleId) && location[0]?.pointer?.startsWith('#/webhooks/')),
    )
    .map((one) => `${one.ruleId}: ${one.message} (${one.location[0]?.pointer})`)
  expect(told).toEqual([])
})
