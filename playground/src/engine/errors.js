/** An error in the code of an algorithm, with the line where it is known. */
export class AlgorithmError extends Error {
  /** @param {string} message @param {number | null} line */
  constructor(message, line = null) {
    super(message);
    this.name = "AlgorithmError";
    this.line = line;
  }
}
