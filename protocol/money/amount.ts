/** An amount of money in the currency's own unit, as a decimal string: no floats travel. */
export const AMOUNT_PATTERN = /^[1-9][0-9]{0,12}$/
