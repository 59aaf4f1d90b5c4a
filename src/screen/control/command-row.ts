/** A command as the program declares it. Types only. */
export interface CommandRow {
  /** `pause`, `budget raise`. */
  name: string;
  /** Heading in the list of commands, e.g. `Steer:`. */
  group: string;
  /** Whether it takes ids of ideas. */
  ideas: boolean;
}
