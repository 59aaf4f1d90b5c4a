/** Durations as people write them. Imports nothing. */
const UNIT: Record<string, number> = { s: 1 / 60, m: 1, h: 60, d: 1440 };
const PART = /(\d+(?:\.\d+)?)\s*(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)\s*/gy;

/** Minutes in `45`, `60min`, `90 s`, `1h30m`; undefined for anything else, for zero and for more than a week. */
export function parseMinutes(text: string): number | undefined {
  const value = text.trim().toLowerCase();
  let minutes = 0;
  if (/^\d+(?:\.\d+)?$/.test(value)) minutes = Number(value);
  else {
    PART.lastIndex = 0;
    let end = 0;
    for (let part = PART.exec(value); part; part = PART.exec(value)) {
      minutes += Number(part[1]) * (UNIT[part[2]?.charAt(0) ?? ''] ?? 0);
      end = PART.lastIndex;
    }
    if (end !== value.length) return undefined;
  }
  return minutes > 0 && minutes <= 10_080 ? minutes : undefined;
}
