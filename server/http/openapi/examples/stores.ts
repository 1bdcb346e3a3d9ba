import { store, story } from './story.ts'

/** The operations on stores: bodies to send, answers to get, and what `details` of errors say. */
export const storeExamples = {
  updateStore: {
    request: {
      details: {
        summary: 'Change some, leave the rest',
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
