using System.Reflection;

namespace LightNode.Tests;

/// <summary>Marks a class each public method of which is a test.</summary>
[AttributeUsage(AttributeTargets.Class)]
sealed class TestsAttribute : Attribute;

/// <summary>Runs each test; its method's name, with blanks for underscores, is what it shows.</summary>
static class Runner
{
    public static IReadOnlyList<string> Names() => All().Select(NameOf).ToArray();

    public static async Task<bool> Run()
    {
        var failed = 0;
        var tests = All().ToArray();
        foreach (var test in tests)
        {
            try
            {
                await ((Task)test.Invoke(null, null)!).WaitAsync(TimeSpan.FromSeconds(30));
                Console.WriteLine($"ok      {NameOf(test)}");
            }
            catch (Exception error)
            {
                failed++;
                Console.WriteLine($"FAILED  {NameOf(test)}\n{(error as TargetInvocationException)?.InnerException ?? error}");
            }
        }
        Console.WriteLine($"{tests.Length - failed} of {tests.Length} tests passed");
        return failed == 0 && tests.Length > 0;
    }

    static string NameOf(MethodInfo test) => test.Name.Replace('_', ' ');

    static IEnumerable<MethodInfo> All() => Assembly.GetExecutingAssembly().GetTypes()
        .Where(type => type.IsDefined(typeof(TestsAttribute)))
        .OrderBy(type => type.Name, StringComparer.Ordinal)
        .SelectMany(type => type.GetMethods(BindingFlags.Static | BindingFlags.Public));
}

static class Check
{
    public static void Equal<T>(T expected, T actual, string what = "the value")
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
        {
            throw new Exception($"{what}: expected {expected}, got {actual}");
        }
    }

    public static void That(bool holds, string what)
    {
        if (!holds)
        {
            throw new Exception($"does not hold: {what}");
        }
    }

    /// <summary>Something is thrown whose message holds these words.</summary>
    public static void Throws<T>(Action action, string words) where T : Exception
    {
        try
        {
            action();
        }
        catch (T error)
        {
            That(error.Message.Contains(words, StringComparison.Ordinal), $"`{error.Message}` holds `{words}`");
            return;
        }
        throw new Exception($"expected {typeof(T).Name} with `{words}`, but nothing was thrown");
    }
}
