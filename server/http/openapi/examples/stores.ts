import { cursor, example, store, story } from './story.ts'

const names = { ownerName: story.ownerName, terminalName: story.terminalName }

/** The operations on stores: requests, responses, and the `details` of errors. */
export const storeExamples = {
  listStores: {
    answer: {
      page: example('One store; there are more', { data: [store], next: cursor }),
      end: example('No store matches', { data: [], next: null }),
    },
    errors: { VALIDATION_FAILED: { limit: 'must be a whole number from 1 to 100' } },
  },
  getStore: { answer: { store: example('The whole store', store) } },
  updateStore: {
    request: { details: example('Change some fields', names) },
    answer: { changed: example('The whole store', { ...store, ...names }) },
    errors: {
      VALIDATION_FAILED: { storeName: 'must be a JSON string, not null' },
      TERMINAL_ID_TAKEN: { terminalID: 'belongs to another of your stores' },
    },
  },
}
