// An error that a request gets as its answer, with its HTTP status.

export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: 400 | 403 | 404 | 405 | 409 | 415 | 422 | 429 | 503 | 504;

  constructor(status: RequestError["status"], message: string) {
    super(message);
    this.status = status;
  }
}
