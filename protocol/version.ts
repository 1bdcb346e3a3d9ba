/** The version of the specification in README.md. */
export const SPEC_VERSION = '1.1'
