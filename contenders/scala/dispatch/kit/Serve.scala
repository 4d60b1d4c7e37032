import java.io.{BufferedReader, File, InputStreamReader}

/** Reads lines "URL TAB OUT" and answers each when its file is saved: nanoseconds and bytes, or nanoseconds and what went wrong. */
object Serve {
  def lines(get: (String, File) => Unit) {
    val input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"))
    var line = input.readLine()
    while (line != null) {
      val fields = line.split("\t", 2)
      val out = new File(fields(1))
      val began = System.nanoTime
      try {
        get(fields(0), out)
        val took = System.nanoTime - began
        println(took + "\t" + out.length)
      } catch {
        case error: Exception =>
          val took = System.nanoTime - began
          println(took + "\terror: " + error.toString.replaceAll("\\s+", " "))
      }
      Console.flush()
      line = input.readLine()
    }
    // These clients keep threads that would keep the process.
    sys.exit(0)
  }
}
