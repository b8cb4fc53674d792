/**
 * Whether this version writes a response's stop reason on its last line. From 2.0.70 on a missing one means that the
 * figures may be the placeholder of the response's start (2.1.12 to 2.1.29 wrote nothing else); before, no version wrote
 * it, and the figures were final.
 */
export const writesStopReason = (version: string | undefined): boolean => {
  const [major = 0, minor = 0, patch = 0] = (version ?? "").split(".", 3).map(Number);
  if (version === undefined || Number.isNaN(major + minor + patch)) return true;
  return major > 2 || (major === 2 && (minor > 0 || patch >= 70));
};
