/** Requests of the screen to the program around it. Types only. */

export type Act =
  /** Runs a command of the program with these arguments, and shows its result. */
  | {
      do: 'tell';
      args: readonly string[];
      /** Name of the draft that goes with it. */
      draft?: string;
      /** Runs after it, where it was accepted. */
      next?: readonly string[];
    }
  /** Gives the terminal to a command. Its output stays until a key press. */
  | { do: 'lend'; args: readonly string[]; read: true }
  /** A command that opens the person's editor. */
  | { do: 'edit'; args: readonly string[] }
  /** Opens the draft answer in the person's editor. */
  | { do: 'editor'; idea: string }
  | { do: 'worker' }
  /** The address of the run's page in the Web UI, or of an idea's. */
  | { do: 'web'; idea?: string }
  /** Writes the report of a run as a page. */
  | { do: 'page'; run: string }
  | { do: 'copy'; text: string }
  | { do: 'refresh' }
  | { do: 'repaint' }
  | { do: 'shell' }
  | { do: 'leave' };
