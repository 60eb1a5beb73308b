package echomq.worker;

/** A worker of one queue: it takes jobs from the gateway and gives them to a {@link Handler}. */
public final class Worker {
  private final Loop loop;

  /** A worker that does nothing yet. */
  public Worker(Options options, Handler handler) {
    loop = new Loop(options, handler);
  }

  /**
   * Works until SIGTERM or SIGINT, and to the end of what is held; then the process ends, with 0
   * when all was answered.
   */
  public void serve() throws InterruptedException {
    Runtime.getRuntime().addShutdownHook(new Thread(this::leave));
    run();
  }

  /** Works until {@link #stop} has come to its end. */
  public void run() throws InterruptedException {
    loop.run();
  }

  /**
   * Takes no more and works to the end of what is held; handlers have ten seconds, then their jobs
   * go back. Returns whether all was answered.
   */
  public boolean stop() throws InterruptedException {
    return loop.stop();
  }

  /** On SIGTERM. Without halt the exit status would tell of the signal, whatever was done. */
  private void leave() {
    int status = 1;
    try {
      status = stop() ? 0 : 1;
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(status);
  }
}
