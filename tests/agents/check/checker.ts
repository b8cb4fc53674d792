/** Collects what a record and the script it was made under say differently. A test compares it with the empty list. */
export class Differences {
  readonly found: { what: string; script: unknown; record: unknown }[] = [];

  /** Compares by value. */
  equal(what: string, script: unknown, record: unknown): void {
    if (JSON.stringify(script) !== JSON.stringify(record)) this.found.push({ what, script, record });
  }

  /** Where the record says something it must be this. */
  equalIfSaid(what: string, script: unknown, record: unknown): void {
    if (record !== undefined) this.equal(what, script, record);
  }
}
