import { store, story } from './story.ts'

/** The operations on stores: requests, responses, and the `details` of errors. */
export const storeExamples = {
  updateStore: {
    request: {
      details: {
        summary: 'Change some fields',
        value: { ownerName: story.ownerName, terminalName: story.terminalName },
      },
    },
    answer: {
      changed: {
        summary: 'The whole store',
        value: { ...store, ownerName: story.ownerName, terminalName: story.terminalName },
      },
    },
    errors: {
      VALIDATION_FAILED: [{ field: 'storeName', issue: 'must be a JSON string, not null' }],
      TERMINAL_ID_TAKEN: [{ field: 'terminalID', issue: 'belongs to another of your stores' }],
    },
  },
}
