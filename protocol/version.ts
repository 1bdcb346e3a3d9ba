/**
 * The version of the specification in README.md. CHANGELOG.md says what changed between versions, and which change raises
 * which number.
 */
export const SPEC_VERSION = '1.2'
