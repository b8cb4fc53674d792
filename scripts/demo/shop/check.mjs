import assert from "node:assert/strict";
import { discounted } from "./price.mjs";

assert.equal(discounted(1000, 10), 900, `10 % off 1000 is 900, not ${discounted(1000, 10)}`);
console.log("prices are right");
