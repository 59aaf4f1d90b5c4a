/** What the screen asks of the program around it. Types only. */

export type Act =
  /** Carries a command of the program out, by its arguments, and says what came of it. */
  | { do: 'tell'; args: readonly string[] /** Idea whose draft is sent with it. */; draft?: string }
  /** Gives the terminal to a command that needs it, e.g. an editor. `read`: its output stays until a key is pressed. */
  | { do: 'lend'; args: readonly string[]; read?: true }
  /** The begun answer in the person's editor. */
  | { do: 'editor'; idea: string }
  | { do: 'worker' }
  | { do: 'web' }
  | { do: 'copy'; text: string }
  | { do: 'refresh' }
  | { do: 'repaint' }
  | { do: 'shell' }
  | { do: 'leave' };
