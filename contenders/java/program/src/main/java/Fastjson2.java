import com.alibaba.fastjson2.JSON;
import java.io.IOException;
import java.nio.file.Files;

public final class Fastjson2 {
    public static void main(String[] args) throws IOException {
        Program.run(file -> JSON.parseArray(Files.readAllBytes(file.toPath()), Program.User.class));
    }
}
