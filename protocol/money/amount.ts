/** An amount of money in the currency's unit, as a decimal string: the protocol has no floats. */
export const AMOUNT_PATTERN = /^[1-9][0-9]{0,12}$/
