/** Events are found again by their sender's id: the same delivery starts nothing twice. */
export const events = `
CREATE INDEX run_event ON run (source, event_id) WHERE event_id IS NOT NULL;
`;
