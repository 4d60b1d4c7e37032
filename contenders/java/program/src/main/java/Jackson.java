import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

public final class Jackson {
    public static void main(String[] args) throws IOException {
        // Without it Jackson stops reading after the array, and would not notice a broken end of the file.
        var mapper = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        var reader = mapper.readerForListOf(Program.User.class);
        Program.run(file -> reader.readValue(file));
    }
}
