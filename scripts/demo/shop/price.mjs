// Prices are in cents. A discount is a percentage.
export const discounted = (cents, discount) => cents - cents * discount;
